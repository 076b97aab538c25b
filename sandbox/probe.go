package sandbox

import (
	"net/http"
	"time"
)

// ProbeResult is the result of a probe: how a webhook receiver responded to valid and
// invalid deliveries.
type ProbeResult struct {
	URL     string       `json:"url"`
	Cases   []ProbeCase  `json:"cases"`
	Summary ProbeSummary `json:"summary"`
}

// ProbeCase is the result for one kind of delivery, such as "tampered".
type ProbeCase struct {
	Case        string          `json:"case"`
	Description string          `json:"about"`    // what is sent
	Expected    string          `json:"expected"` // "accepted" or "refused"
	Verdict     string          `json:"verdict"`  // "ok", "wrongly accepted", "wrongly refused" or "could not be judged"
	Deliveries  []ProbeDelivery `json:"deliveries"`
}

// ProbeDelivery is a delivery, which is sent once, and the response to it.
type ProbeDelivery struct {
	DeliveryID string           `json:"delivery_id"` // X-Delivery-Id
	EventID    string           `json:"event_id"`    // X-Request-Id
	Event      string           `json:"event"`
	Sent       bool             `json:"sent"` // false if the probe had already waited too long for the receiver
	At         time.Time        `json:"at"`   // real time
	Request    WebhookRequest   `json:"request"`
	Address    string           `json:"address"` // network address that was dialled
	Status     int              `json:"status"`  // 0 if there was no response
	Failure    string           `json:"failure"`
	DurationMs int64            `json:"duration_ms"`
	Response   *WebhookResponse `json:"response"` // nil if there was none
}

// ProbeSummary is the number of cases by verdict.
type ProbeSummary struct {
	OK               int    `json:"ok"`
	WronglyAccepted  int    `json:"wrongly_accepted"`
	WronglyRefused   int    `json:"wrongly_refused"`
	CouldNotBeJudged int    `json:"could_not_be_judged"`
	Passed           bool   `json:"passed"` // whether the verdict of every case is "ok"
	Advice           string `json:"advice"`
}

// ProbeReceiver checks whether the webhook receiver at the URL, which verifies
// signatures with the secret, accepts valid deliveries and rejects invalid ones.
// The deliveries of a probe are not recorded.
func (s *Sandbox) ProbeReceiver(url, secret string) ProbeResult {
	s.t.Helper()
	var result ProbeResult
	s.callControl(http.MethodPost, s.tenantPath("/probe"), map[string]string{"url": url, "secret": secret}, &result)
	return result
}
