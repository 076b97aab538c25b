package sandbox

import (
	"net/http"
	"time"
)

// Probe is how a receiver of webhooks took a matrix of good and bad deliveries.
type Probe struct {
	URL     string       `json:"url"`
	Cases   []ProbeCase  `json:"cases"`
	Summary ProbeSummary `json:"summary"`
}

// ProbeCase is one kind of delivery, such as "tampered".
type ProbeCase struct {
	Case       string          `json:"case"`
	About      string          `json:"about"`    // what is sent
	Expected   string          `json:"expected"` // "accepted" or "refused"
	Verdict    string          `json:"verdict"`  // "ok", "wrongly accepted", "wrongly refused" or "could not be judged"
	Deliveries []ProbeDelivery `json:"deliveries"`
}

// ProbeDelivery is a delivery that was sent once, and what came back.
type ProbeDelivery struct {
	DeliveryID string           `json:"delivery_id"` // X-Delivery-Id
	EventID    string           `json:"event_id"`    // X-Request-Id
	Event      string           `json:"event"`
	Sent       bool             `json:"sent"` // false: the receiver had kept the probe waiting for too long
	At         time.Time        `json:"at"`   // real time
	Request    WebhookRequest   `json:"request"`
	Address    string           `json:"address"` // that was dialled
	Status     int              `json:"status"`  // 0 = no answer
	Failure    string           `json:"failure"`
	DurationMs int64            `json:"duration_ms"`
	Response   *WebhookResponse `json:"response"` // nil when there was none
}

// ProbeSummary counts the cases by verdict.
type ProbeSummary struct {
	OK               int    `json:"ok"`
	WronglyAccepted  int    `json:"wrongly_accepted"`
	WronglyRefused   int    `json:"wrongly_refused"`
	CouldNotBeJudged int    `json:"could_not_be_judged"`
	Passed           bool   `json:"passed"` // every case was ok
	Advice           string `json:"advice"`
}

// Probe finds out whether the receiver of webhooks at the URL, which verifies
// with the secret, tells good deliveries from bad ones. Nothing of it is kept.
func (s *Sandbox) Probe(url, secret string) Probe {
	s.t.Helper()
	var found Probe
	s.do(http.MethodPost, s.path("/probe"), map[string]string{"url": url, "secret": secret}, &found)
	return found
}
