package hooks

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/hooks/delivery"
)

// Prober checks whether a receiver accepts valid deliveries and rejects invalid ones.
// It sends with a Sender, with the same checks and limits as other deliveries, one
// delivery at a time. A server runs at most delivery.MaxPerReceiver probes at a time, and
// maxTenantProbes of one tenant.
type Prober struct {
	sender *Sender
	now    func() time.Time // real time

	mu      sync.Mutex
	all     int            // probes that are running
	running map[string]int // of each tenant, by its name
}

const (
	maxTenantProbes = 2

	// A probe ends at the first delivery that has no response after probeResponseTimeout,
	// and after probeTimeout at the latest.
	probeResponseTimeout = 10 * time.Second
	probeTimeout         = time.Minute
)

// ErrProbesBusy is returned by Run if too many probes are running, of the tenant or in all.
var ErrProbesBusy = errors.New("too many probes at once")

// NewProber returns a prober that uses the sender. now returns the real time.
func NewProber(sender *Sender, now func() time.Time) *Prober {
	return &Prober{sender: sender, now: now, running: map[string]int{}}
}

// Timeout returns the time after which a probe stops sending. Deliveries that were not
// sent by then cannot be judged.
func (p *Prober) Timeout() time.Duration { return probeTimeout }

// Verdicts on a receiver.
const (
	VerdictOK              = "ok"
	VerdictWronglyAccepted = "wrongly accepted"
	VerdictWronglyRefused  = "wrongly refused"
	VerdictNotJudged       = "could not be judged" // there was no response
)

// ProbeResult is the result of one case of a probe.
type ProbeResult struct {
	Name       string
	About      string // the request and the reason for it
	Accept     bool   // the receiver should accept the deliveries, with a 2xx response
	Verdict    string
	Deliveries []ProbeDelivery
}

// ProbeDelivery is one delivery of a case.
type ProbeDelivery struct {
	Event    string
	EventID  uuid.UUID
	ID       uuid.UUID // X-Delivery-Id
	At       time.Time // real time
	Request  Request
	Sent     bool
	Address  string // that was dialled; "" if none was
	Status   int    // 0 = no response
	Failure  string // class of failure; "" if there was none
	Duration time.Duration
	Header   http.Header // of the response
	Body     []byte
}

// Receiver is a receiver to probe.
type Receiver struct {
	TenantName string
	URL        string
	Secret     string
	At         time.Time // tenant's time
}

// Validate returns the error message of the receiver's URL or secret, and the name of
// the field; "" if both are valid.
func (p *Prober) Validate(to Receiver) (field, message string) {
	if wrong := checkURL(to.URL, p.sender); wrong.message != "" {
		return "url", wrong.message
	}
	if to.Secret == "" {
		return "secret", blank
	}
	return "secret", checkSecret(to.Secret).message
}

// begin reports whether another probe of the tenant may run. If so, it counts the probe
// as running.
func (p *Prober) begin(tenant string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all >= delivery.MaxPerReceiver || p.running[tenant] >= maxTenantProbes {
		return false
	}
	p.all++
	p.running[tenant]++
	return true
}

// end stops counting a probe of the tenant as running.
func (p *Prober) end(tenant string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all--
	if p.running[tenant]--; p.running[tenant] == 0 {
		delete(p.running, tenant)
	}
}

// Run probes the receiver and returns the results of all cases in order. It does not wait
// for other probes: the error is ErrProbesBusy if too many are running.
func (p *Prober) Run(ctx context.Context, to Receiver) ([]ProbeResult, error) {
	if !p.begin(to.TenantName) {
		return nil, ErrProbesBusy
	}
	defer p.end(to.TenantName)
	sendCtx, cancel := context.WithTimeout(ctx, p.Timeout())
	defer cancel()
	results := make([]ProbeResult, len(probeCases))
	for i, c := range probeCases {
		result := ProbeResult{Name: c.name, About: c.about, Accept: c.accept}
		messages, err := c.messages(p.sender.Signature(), to)
		if err != nil {
			return nil, fmt.Errorf("probe %s: %w", c.name, err)
		}
		for _, m := range messages {
			sent, err := p.send(sendCtx, cancel, m)
			if err != nil {
				return nil, fmt.Errorf("probe %s: %w", c.name, err)
			}
			result.Deliveries = append(result.Deliveries, sent)
		}
		result.Verdict = result.judge()
		results[i] = result
	}
	return results, ctx.Err()
}

// send sends one delivery, unless ctx has ended. If there is no response in time, it
// calls stop, because each further delivery could take as long.
func (p *Prober) send(ctx context.Context, stop context.CancelFunc, m delivery.Message) (ProbeDelivery, error) {
	request, err := p.sender.Preview(m)
	if err != nil {
		return ProbeDelivery{}, err
	}
	sent := ProbeDelivery{Event: m.Event, EventID: m.EventID, ID: m.ID, At: p.now(), Request: request}
	if ctx.Err() != nil {
		return sent, nil
	}
	ctx, cancel := context.WithTimeout(ctx, probeResponseTimeout)
	defer cancel()
	outcome := p.sender.Send(ctx, m, p.now)
	if outcome.TimedOut() {
		stop()
	}
	sent.Sent, sent.Address, sent.Status = true, outcome.Address, outcome.Status
	sent.Failure, sent.Duration = outcome.Failure, outcome.Duration
	sent.Header, sent.Body = delivery.ParseResponse(outcome.Response)
	return sent, nil
}

// judge returns the verdict on the case: one wrong response decides.
func (c ProbeResult) judge() string {
	verdict := VerdictOK
	for _, m := range c.Deliveries {
		switch accepted := m.Status/100 == 2; {
		case m.Status == 0 && verdict == VerdictOK:
			verdict = VerdictNotJudged
		case m.Status == 0 || accepted == c.Accept:
		case accepted:
			return VerdictWronglyAccepted
		default:
			return VerdictWronglyRefused
		}
	}
	return verdict
}
