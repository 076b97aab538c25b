package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/hooks/delivery"
)

// Prober finds out whether a receiver tells good deliveries from bad ones. It
// sends with a sender, under all its rules; one delivery after the other, and
// for all probes of a server together in no more slots than a subscription has.
type Prober struct {
	sender *Sender
	now    func() time.Time // real time
	slots  chan struct{}
}

// NewProber returns a prober that sends by the sender.
func NewProber(sender *Sender, now func() time.Time) *Prober {
	return &Prober{sender: sender, now: now, slots: make(chan struct{}, delivery.MaxPerReceiver)}
}

// Patience is how long a probe sends to a receiver that keeps it waiting. What
// has not been sent by then can't be judged.
func (p *Prober) Patience() time.Duration { return 2 * p.sender.Timeout() }

// Verdicts on a receiver.
const (
	Right           = "ok"
	WronglyAccepted = "wrongly accepted"
	WronglyRefused  = "wrongly refused"
	Unjudged        = "could not be judged" // no answer came
)

// Probed is a case of a probe: what was sent, and what came of it.
type Probed struct {
	Name     string
	About    string // what is sent, and why
	Accept   bool   // whether the receiver should accept it, that is answer with 2xx
	Verdict  string
	Messages []ProbedMessage
}

// ProbedMessage is one delivery of a case.
type ProbedMessage struct {
	Event    string
	EventID  uuid.UUID
	ID       uuid.UUID // X-Delivery-Id
	At       time.Time // real time
	Request  Request
	Sent     bool
	Address  string // dialled
	Status   int    // 0 = no answer
	Failure  string // class of error
	Duration time.Duration
	Header   http.Header // of the answer
	Body     []byte
}

// Receiver is who is probed.
type Receiver struct {
	TenantName string
	URL        string
	Secret     string
	At         time.Time // tenant's time
}

// Check returns what is wrong with the receiver's URL or secret; "" when
// nothing is.
func (to Receiver) Check() (field, problem string) {
	if problem := checkURL(to.URL); problem != "" {
		return "url", problem
	}
	if to.Secret == "" {
		return "secret", blank
	}
	return "secret", checkSecret(to.Secret)
}

// Run makes the probe, all cases in their order.
func (p *Prober) Run(ctx context.Context, to Receiver) ([]Probed, error) {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	patient, stop := context.WithTimeout(ctx, p.Patience())
	defer stop()
	probed := []Probed{}
	for _, one := range cases {
		done := Probed{Name: one.name, About: one.about, Accept: one.accept}
		messages, err := one.make(p.sender.Signature(), to)
		if err != nil {
			return nil, fmt.Errorf("probe %s: %w", one.name, err)
		}
		for _, m := range messages {
			sent, err := p.send(patient, m)
			if err != nil {
				return nil, fmt.Errorf("probe %s: %w", one.name, err)
			}
			done.Messages = append(done.Messages, sent)
		}
		done.Verdict = done.judge()
		probed = append(probed, done)
	}
	return probed, ctx.Err()
}

// send makes one delivery, while there is patience.
func (p *Prober) send(patient context.Context, m delivery.Message) (ProbedMessage, error) {
	request, err := p.sender.Preview(m)
	if err != nil {
		return ProbedMessage{}, err
	}
	sent := ProbedMessage{Event: m.Event, EventID: m.EventID, ID: m.ID, At: p.now(), Request: request}
	if patient.Err() != nil {
		return sent, nil
	}
	came := p.sender.Send(patient, m, p.now)
	sent.Sent, sent.Address, sent.Status = true, came.Address, came.Status
	sent.Failure, sent.Duration = came.Failure, came.Duration
	sent.Header, sent.Body = delivery.ParseResponse(came.Response)
	return sent, nil
}

// judge is the verdict on a case: a wrong answer to one delivery is one to all.
func (c Probed) judge() string {
	verdict := Right
	for _, m := range c.Messages {
		switch accepted := m.Status/100 == 2; {
		case m.Status == 0 && verdict == Right:
			verdict = Unjudged
		case m.Status == 0 || accepted == c.Accept:
		case accepted:
			return WronglyAccepted
		default:
			return WronglyRefused
		}
	}
	return verdict
}

// probeCase makes the deliveries of one case.
type probeCase struct {
	name, about string
	accept      bool
	make        func(Signature, Receiver) ([]delivery.Message, error)
}

// cases are the matrix. The first is good, so that a receiver that is not
// there shows at once.
var cases = []probeCase{
	{"good", "A delivery as any other.", true, alone(func(*delivery.Message, Signature, string) {})},
	{
		"good, unusual bytes", "Well signed, its JSON written unusually: a receiver that verifies anything but the raw bytes refuses it.", true,
		alone(func(m *delivery.Message, _ Signature, _ string) {
			m.Body = bytes.Replace(m.Body, []byte(`"data":{`), []byte("\"data\" : {\"z\":1.50,\"a\":\"\\u00fcb\\u0065r <\\/b>\",\n"), 1)
		}),
	},
	{"tampered", "The body was changed after it was signed.", false, alone(func(m *delivery.Message, s Signature, secret string) {
		sign(m, s.Sign(secret, m.Body))
		m.Body = bytes.Replace(m.Body, []byte(`"data":{`), []byte(`"data":{"tampered":true,`), 1)
	})},
	{"rewritten", "The same values, written with other spaces after signing: only the raw bytes tell.", false, alone(func(m *delivery.Message, s Signature, secret string) {
		sign(m, s.Sign(secret, m.Body))
		var spaced bytes.Buffer
		if json.Indent(&spaced, m.Body, "", " ") == nil {
			m.Body = spaced.Bytes()
		}
	})},
	{"wrongly signed", "Signed with another secret.", false, alone(func(m *delivery.Message, s Signature, secret string) {
		sign(m, s.Sign("not "+secret, m.Body))
	})},
	{"unsigned", "Without X-Signature.", false, alone(func(m *delivery.Message, _ Signature, _ string) { m.Secret = "" })},
	{"empty signature", "X-Signature is there, and empty.", false, alone(func(m *delivery.Message, _ Signature, _ string) { sign(m, "") })},
	{"cut signature", "The first half of the right signature: it must be compared as a whole.", false, alone(func(m *delivery.Message, s Signature, secret string) {
		whole := s.Sign(secret, m.Body)
		sign(m, whole[:len(whole)/2])
	})},
	{"duplicated", "One event twice, as at-least-once delivery does: both are to be accepted, the second without effect.", true, duplicated},
	{"reordered", "The later of two events first: order is not promised, both are to be accepted.", true, reordered},
}

// sign makes the message carry this signature, right or wrong.
func sign(m *delivery.Message, signature string) { m.Secret, m.Header = "", "X-Signature: "+signature }

// alone is the case of one delivery, spoiled in some way.
func alone(spoil func(m *delivery.Message, s Signature, secret string)) func(Signature, Receiver) ([]delivery.Message, error) {
	return func(s Signature, to Receiver) ([]delivery.Message, error) {
		m, err := to.message(to.At)
		spoil(&m, s, to.Secret)
		return []delivery.Message{m}, err
	}
}

func duplicated(_ Signature, to Receiver) ([]delivery.Message, error) {
	first, err := to.message(to.At)
	again := first
	again.ID = newID()
	return []delivery.Message{first, again}, err
}

func reordered(_ Signature, to Receiver) ([]delivery.Message, error) {
	earlier, err1 := to.message(to.At.Add(-time.Second))
	later, err2 := to.message(to.At)
	return []delivery.Message{later, earlier}, errors.Join(err1, err2)
}

// message is a good delivery of a test event.
func (to Receiver) message(at time.Time) (delivery.Message, error) {
	id := newID()
	event := Event{TenantName: to.TenantName, Name: probeEvent, At: at, Data: json.RawMessage(`{"probe":true}`)}
	body, err := event.body(id)
	return delivery.Message{URL: to.URL, Secret: to.Secret, Event: probeEvent, EventID: id, ID: newID(), Body: body}, err
}

// probeEvent is the event that probes send.
const probeEvent = "hook:test"
