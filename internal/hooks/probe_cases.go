package hooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/auth"
	"understudy.example/internal/hooks/delivery"
)

// probeCase is a case of a probe.
type probeCase struct {
	name, about string
	accept      bool // the receiver should accept the deliveries
	messages    func(Signature, Receiver) ([]delivery.Message, error)
}

// probeCases are all cases. The first is a valid delivery, so that an unreachable
// receiver is noticed at once.
var probeCases = []probeCase{
	{"good", "An ordinary delivery.", true, singleDelivery(func(*delivery.Message, Signature, string) {})},
	{
		"good, unusual bytes", "Correctly signed JSON in an unusual notation: a receiver that verifies anything but the raw bytes refuses it.", true,
		singleDelivery(func(m *delivery.Message, _ Signature, _ string) {
			m.Body = bytes.Replace(m.Body, []byte(`"data":{`), []byte("\"data\" : {\"z\":1.50,\"a\":\"\\u00fcb\\u0065r <\\/b>\",\n"), 1)
		}),
	},
	{"tampered", "The body was changed after it was signed.", false, singleDelivery(func(m *delivery.Message, s Signature, secret string) {
		setSignature(m, s.Sign(secret, m.Body))
		m.Body = bytes.Replace(m.Body, []byte(`"data":{`), []byte(`"data":{"tampered":true,`), 1)
	})},
	{"rewritten", "The same values with other whitespace, changed after it was signed: only the raw bytes differ.", false, singleDelivery(func(m *delivery.Message, s Signature, secret string) {
		setSignature(m, s.Sign(secret, m.Body))
		var spaced bytes.Buffer
		if json.Indent(&spaced, m.Body, "", " ") == nil {
			m.Body = spaced.Bytes()
		}
	})},
	{"wrongly signed", "Signed with another secret.", false, singleDelivery(func(m *delivery.Message, s Signature, secret string) {
		setSignature(m, s.Sign("not "+secret, m.Body))
	})},
	{"unsigned", "Without X-Signature.", false, singleDelivery(func(m *delivery.Message, _ Signature, _ string) { m.Secret = "" })},
	{"empty signature", "X-Signature is present but empty.", false, singleDelivery(func(m *delivery.Message, _ Signature, _ string) { setSignature(m, "") })},
	{"cut signature", "The first half of the correct signature: a signature must be compared as a whole.", false, singleDelivery(func(m *delivery.Message, s Signature, secret string) {
		whole := s.Sign(secret, m.Body)
		setSignature(m, whole[:len(whole)/2])
	})},
	{"duplicated", "The same event twice, which at-least-once delivery allows: both must be accepted, the second without effect.", true, sameEventTwice},
	{"reordered", "The later of two events first: the order is not guaranteed, and both must be accepted.", true, laterEventFirst},
}

// setSignature sets the signature of the message, whether it is correct or not.
func setSignature(m *delivery.Message, signature string) {
	m.Secret, m.Header = "", "X-Signature: "+signature
}

// singleDelivery returns the messages function of a case with one delivery, which
// alter changes.
func singleDelivery(alter func(m *delivery.Message, s Signature, secret string)) func(Signature, Receiver) ([]delivery.Message, error) {
	return func(s Signature, to Receiver) ([]delivery.Message, error) {
		m, err := to.message(to.At)
		alter(&m, s, to.Secret)
		return []delivery.Message{m}, err
	}
}

func sameEventTwice(_ Signature, to Receiver) ([]delivery.Message, error) {
	first, err := to.message(to.At)
	second := first
	second.ID = newID()
	return []delivery.Message{first, second}, err
}

func laterEventFirst(_ Signature, to Receiver) ([]delivery.Message, error) {
	earlier, err1 := to.message(to.At.Add(-time.Second))
	later, err2 := to.message(to.At)
	return []delivery.Message{later, earlier}, errors.Join(err1, err2)
}

// message returns a valid delivery of a test event.
func (to Receiver) message(at time.Time) (delivery.Message, error) {
	id := newID()
	event := Event{Tenant: auth.Tenant{Name: to.TenantName}, Name: probeEvent, At: at, Data: json.RawMessage(`{"probe":true}`)}
	body, err := event.body(id)
	return delivery.Message{URL: to.URL, Secret: to.Secret, Event: probeEvent, EventID: id, ID: newID(), Body: body}, err
}

// probeEvent is the event that probes send.
const probeEvent = "hook:test"

// newID returns an id for a delivery that is not stored.
func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }
