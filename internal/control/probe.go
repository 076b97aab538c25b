package control

import (
	"errors"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/hooks"
	"understudy.example/internal/storage"
)

// probeBody is the result of a probe.
type probeBody struct {
	URL     string          `json:"url"`
	Cases   []probeCaseBody `json:"cases"`
	Summary probeSummary    `json:"summary"`
}

type probeCaseBody struct {
	Case       string              `json:"case"`
	About      string              `json:"about"`
	Expected   string              `json:"expected"`
	Verdict    string              `json:"verdict"`
	Deliveries []probeDeliveryBody `json:"deliveries"`
}

// probeDeliveryBody is one delivery of a case.
type probeDeliveryBody struct {
	DeliveryID uuid.UUID     `json:"delivery_id"`
	EventID    uuid.UUID     `json:"event_id"`
	Event      string        `json:"event"`
	Sent       bool          `json:"sent"` // false if the probe had ended before
	At         api.Time      `json:"at"`
	Request    requestBody   `json:"request"`
	Address    string        `json:"address"`
	Status     int           `json:"status"`
	Failure    string        `json:"failure"`
	DurationMs int64         `json:"duration_ms"`
	Response   *responseBody `json:"response"`
}

type probeSummary struct {
	OK              int    `json:"ok"`
	WronglyAccepted int    `json:"wrongly_accepted"`
	WronglyRefused  int    `json:"wrongly_refused"`
	NotJudged       int    `json:"could_not_be_judged"`
	Passed          bool   `json:"passed"` // every case was ok
	Advice          string `json:"advice"`
}

// Probe is `POST /tenants/{t}/probe`: it sends valid and invalid deliveries to a
// receiver, and returns which of them the receiver wrongly accepts or refuses. They
// are not stored.
func Probe(db storage.DB, gate *auth.Gate, prober *hooks.Prober) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		body, err := api.ReadFields(r, "url", "secret")
		if err != nil {
			return err
		}
		to := hooks.Receiver{TenantName: tenant.Name, At: tenant.Time(gate.Now())}
		to.URL, _ = body.Text("url")
		to.Secret, _ = body.Text("secret")
		if field, message := prober.Validate(to); message != "" {
			return api.BadRequest("%s: %s", field, message)
		}
		results, err := prober.Run(r.Context(), to)
		if errors.Is(err, hooks.ErrProbesBusy) {
			return probesBusy()
		}
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusOK, newProbeBody(to.URL, results))
	}
}

func newProbeBody(url string, results []hooks.ProbeResult) probeBody {
	body := probeBody{URL: url, Cases: make([]probeCaseBody, len(results))}
	cases := map[string][]string{}
	for i, c := range results {
		cases[c.Verdict] = append(cases[c.Verdict], c.Name)
		body.Cases[i] = probeCaseBody{c.Name, c.About, "refused", c.Verdict, make([]probeDeliveryBody, len(c.Deliveries))}
		if c.Accept {
			body.Cases[i].Expected = "accepted"
		}
		for j, m := range c.Deliveries {
			body.Cases[i].Deliveries[j] = probeDeliveryBody{
				DeliveryID: m.ID, EventID: m.EventID, Event: m.Event, Sent: m.Sent, At: api.Time(m.At),
				Request: newRequestBody(m.Request), Address: m.Address, Status: m.Status, Failure: m.Failure,
				DurationMs: m.Duration.Milliseconds(), Response: newResponseBody(m.Status, m.Header, m.Body),
			}
		}
	}
	body.Summary = probeSummary{
		OK: len(cases[hooks.VerdictOK]), WronglyAccepted: len(cases[hooks.VerdictWronglyAccepted]),
		WronglyRefused: len(cases[hooks.VerdictWronglyRefused]), NotJudged: len(cases[hooks.VerdictNotJudged]),
		Passed: len(cases[hooks.VerdictOK]) == len(results), Advice: probeAdvice(cases),
	}
	return body
}

// probeAdvice returns advice for the author of the receiver. cases are the names of the
// cases by verdict.
func probeAdvice(cases map[string][]string) string {
	var advice []string
	add := func(verdict, sentence string) {
		if names := cases[verdict]; len(names) > 0 {
			advice = append(advice, sentence+" ("+strings.Join(names, "; ")+").")
		}
	}
	add(hooks.VerdictWronglyAccepted, "Respond with 401 or 403 unless X-Signature is the HMAC of the raw body, compared as a whole")
	add(hooks.VerdictWronglyRefused, "Respond with 2xx to every correctly signed delivery, even if it arrives twice or out of order; verify the raw bytes, not JSON that was decoded and encoded again")
	add(hooks.VerdictNotJudged, "Some deliveries had no response: see the failure of each")
	if len(advice) == 0 {
		return "Nothing to do: the receiver accepts valid deliveries and rejects invalid ones."
	}
	return strings.Join(advice, " ")
}
