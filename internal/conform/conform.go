// Package conform holds a deployment of the service to its contract, from
// outside: it has the whole conversation that a client has, makes the mistakes
// that a client makes, and tells what agrees and what differs. It is a client
// and nothing else, so it can be pointed at the emulator as at the real service.
//
// It leaves little behind. Webhook subscriptions are deleted again, never point
// at a name that can be reached, and are active for a few calls only; no
// credentials but made-up ones are ever wrong, so that no client is locked out.
// What stays is a submission per version, a company, and a few transactions
// without a file.
package conform

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"time"

	"understudy.example/internal/fidelity"
)

// Target is the deployment, and who calls it.
type Target struct {
	BaseURL         string // submit, status, company and data
	AuthURL         string // tokens
	HooksURL        string // webhook subscriptions
	ClientID        string
	ClientSecret    string
	APIKey          string
	CompanyPackage  string
	LocationPackage string
	LimitedID       string // a client that may only submit companies and read reports; empty leaves out what needs it
	LimitedSecret   string
	ForeignID       string // a client of another tenant that may do everything; empty leaves out what needs it
	ForeignSecret   string
	ForeignKey      string
}

// Options are how it is done.
type Options struct {
	OnlyStated bool          // leave out what is public or chosen
	Wait       time.Duration // how long a submission may take
	Poll       time.Duration // the first wait between two status calls; it grows
	Progress   io.Writer     // what is going on, for people
	Client     *http.Client
}

// Run has the conversation and returns what was seen. It fails only where ctx
// ends.
func Run(ctx context.Context, target Target, options Options) (*Report, error) {
	r := &run{ctx: ctx, target: target, options: options, report: &Report{Target: target.BaseURL}}
	for _, part := range []struct {
		name string
		do   func()
	}{
		{"token", r.tokens},
		{"submission", r.submission},
		{"company", r.company},
		{"versions", r.versions},
		{"webhooks", r.hooks},
		{"refusals", r.refusals},
		{"tenancy", r.foreign},
	} {
		r.part = part.name
		r.progress("%s", part.name)
		part.do()
		if ctx.Err() != nil {
			return r.report, ctx.Err()
		}
	}
	return r.report, nil
}

// run is one conversation.
type run struct {
	ctx     context.Context
	target  Target
	options Options
	report  *Report
	part    string

	token   string // access token
	limited string // of the limited client
	txID    string // of a completed submission
	cReport string // of it
	lReport string
}

func (r *run) progress(format string, values ...any) {
	fmt.Fprintf(r.options.Progress, format+"\n", values...)
}

// row adds what was compared.
func (r *run) row(name string, label fidelity.Label, expected, got string, agrees bool) bool {
	if r.leavesOut(label) {
		return agrees
	}
	r.report.Checks = append(r.report.Checks, Check{r.part, name, label, masked(expected), masked(got), agrees, false})
	return agrees
}

// opaque is what opens something: it is not shown.
var opaque = regexp.MustCompile(`((?:access|refresh)_token"?\s*[:=]\s*"?|\bdata=)[^"&\s]+`)

func masked(text string) string { return opaque.ReplaceAllString(text, "$1…") }

// same compares two texts.
func (r *run) same(name string, label fidelity.Label, expected, got string) bool {
	return r.row(name, label, expected, got, expected == got)
}

// skip tells what could not be tried.
func (r *run) skip(name, why string) {
	r.report.Checks = append(r.report.Checks, Check{r.part, name, fidelity.Stated, "", why, false, true})
}

// leavesOut tells whether checks of the label are not wanted.
func (r *run) leavesOut(label fidelity.Label) bool {
	return r.options.OnlyStated && label != fidelity.Stated
}

// expect makes the call and compares the status code and, where it is given,
// the body. Labels are those of the fidelity table, unless one is given.
func (r *run) expect(name string, given fidelity.Label, q question, status int, body string) reply {
	known, _ := fidelity.Find(q.method, q.path, status)
	is, says := cmp.Or(given, known.Label, fidelity.Chosen), cmp.Or(given, known.Body, fidelity.Chosen)
	if r.leavesOut(is) {
		return reply{}
	}
	got := r.ask(q)
	agrees := r.row(name, is, fmt.Sprint(status), got.seen(status), got.status == status)
	if body != "" && agrees {
		r.row(name+", body", says, body, got.text(), sameJSON(body, got.text()))
	}
	return got
}
