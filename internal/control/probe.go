package control

import (
	"net/http"
	"strings"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/hooks"
	"understudy.example/internal/storage"
)

// probeAnswer is what a probe found out.
type probeAnswer struct {
	URL     string       `json:"url"`
	Cases   []caseAnswer `json:"cases"`
	Summary probeSummary `json:"summary"`
}

type caseAnswer struct {
	Case       string         `json:"case"`
	About      string         `json:"about"`
	Expected   string         `json:"expected"`
	Verdict    string         `json:"verdict"`
	Deliveries []probedAnswer `json:"deliveries"`
}

// probedAnswer is one delivery of a case.
type probedAnswer struct {
	DeliveryID uuid.UUID       `json:"delivery_id"`
	EventID    uuid.UUID       `json:"event_id"`
	Event      string          `json:"event"`
	Sent       bool            `json:"sent"` // false = the receiver had kept the probe waiting too long
	At         api.Time        `json:"at"`
	Request    requestAnswer   `json:"request"`
	Address    string          `json:"address"`
	Status     int             `json:"status"`
	Failure    string          `json:"failure"`
	DurationMs int64           `json:"duration_ms"`
	Response   *responseAnswer `json:"response"`
}

type probeSummary struct {
	OK              int    `json:"ok"`
	WronglyAccepted int    `json:"wrongly_accepted"`
	WronglyRefused  int    `json:"wrongly_refused"`
	NotJudged       int    `json:"could_not_be_judged"`
	Passed          bool   `json:"passed"` // every case was ok
	Advice          string `json:"advice"`
}

// Probe is `POST /tenants/{t}/probe`: it sends good and bad deliveries to a
// receiver and tells which it wrongly accepts or refuses. None of them is kept.
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
		if field, problem := to.Validate(); problem != "" {
			return api.BadRequest("%s: %s", field, problem)
		}
		probed, err := prober.Run(r.Context(), to)
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusOK, newProbeAnswer(to.URL, probed))
	}
}

func newProbeAnswer(url string, probed []hooks.ProbeResult) probeAnswer {
	answer := probeAnswer{URL: url, Cases: make([]caseAnswer, len(probed))}
	cases := map[string][]string{}
	for i, c := range probed {
		cases[c.Verdict] = append(cases[c.Verdict], c.Name)
		answer.Cases[i] = caseAnswer{c.Name, c.About, "refused", c.Verdict, make([]probedAnswer, len(c.Deliveries))}
		if c.Accept {
			answer.Cases[i].Expected = "accepted"
		}
		for j, m := range c.Deliveries {
			answer.Cases[i].Deliveries[j] = probedAnswer{
				DeliveryID: m.ID, EventID: m.EventID, Event: m.Event, Sent: m.Sent, At: api.Time(m.At),
				Request: newRequestAnswer(m.Request), Address: m.Address, Status: m.Status, Failure: m.Failure,
				DurationMs: m.Duration.Milliseconds(), Response: newResponseAnswer(m.Status, m.Header, m.Body),
			}
		}
	}
	answer.Summary = probeSummary{
		OK: len(cases[hooks.VerdictOK]), WronglyAccepted: len(cases[hooks.VerdictWronglyAccepted]),
		WronglyRefused: len(cases[hooks.VerdictWronglyRefused]), NotJudged: len(cases[hooks.VerdictNotJudged]),
		Passed: len(cases[hooks.VerdictOK]) == len(probed), Advice: probeAdvice(cases),
	}
	return answer
}

// probeAdvice says what to do about the cases, which are by verdict.
func probeAdvice(cases map[string][]string) string {
	var advice []string
	say := func(verdict, sentence string) {
		if names := cases[verdict]; len(names) > 0 {
			advice = append(advice, sentence+" ("+strings.Join(names, "; ")+").")
		}
	}
	say(hooks.VerdictWronglyAccepted, "Answer a delivery with 401 or 403 unless X-Signature is the HMAC of the raw body, compared as a whole")
	say(hooks.VerdictWronglyRefused, "Answer every well-signed delivery with 2xx, also one that comes twice or late; verify the raw bytes, not JSON that was parsed and written again")
	say(hooks.VerdictNotJudged, "No answer came to some deliveries: see the failure of each")
	if len(advice) == 0 {
		return "Nothing to do: the receiver tells good deliveries from bad ones."
	}
	return strings.Join(advice, " ")
}
