// Package conform checks a deployment of the service against its contract. It makes
// every call that a client makes, including typical mistakes, and reports which
// responses agree with the contract and which differ. It acts only as a client, so it
// works with the emulator and with the real service.
//
// A run leaves little data behind: one submission per version, one company, and a few
// transactions without a file. It deletes its webhook subscriptions, which point at a
// host name that cannot be reached and are active for a few calls only. Wrong
// credentials are always invented, so no client gets locked out.
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

// Target is the deployment to check and the credentials to use.
type Target struct {
	BaseURL             string // of the submit, status, company and data calls
	AuthURL             string // of the token endpoint
	HooksURL            string // of the webhook subscriptions
	ClientID            string
	ClientSecret        string
	APIKey              string
	CompanyPackage      string
	LocationPackage     string
	LimitedClientID     string // a client that may only submit companies and read reports; if empty, its checks are omitted
	LimitedClientSecret string
	ForeignClientID     string // a client of another tenant with all permissions; if empty, its checks are omitted
	ForeignClientSecret string
	ForeignAPIKey       string
}

// Options configure a run.
type Options struct {
	OnlyStated        bool          // omit checks labelled public or chosen
	CompletionTimeout time.Duration // limit for each submission to reach a final state
	PollInterval      time.Duration // initial interval between status calls; it grows up to 10 s
	Progress          io.Writer     // receives progress messages
	Client            *http.Client
}

// Run makes all calls and returns the result of each check. It returns an error
// only if ctx is done; the report then holds the checks made so far.
func Run(ctx context.Context, target Target, options Options) (*Report, error) {
	r := &run{ctx: ctx, target: target, options: options, report: &Report{Target: target.BaseURL}}
	for _, part := range []struct {
		name string
		run  func()
	}{
		{"token", r.tokens},
		{"submission", r.submission},
		{"company", r.company},
		{"versions", r.versions},
		{"webhooks", r.hooks},
		{"errors", r.clientErrors},
		{"tenancy", r.tenancy},
	} {
		r.part = part.name
		r.progressf("%s", part.name)
		part.run()
		if ctx.Err() != nil {
			return r.report, ctx.Err()
		}
	}
	return r.report, nil
}

// run is the state of one run.
type run struct {
	ctx     context.Context
	target  Target
	options Options
	report  *Report
	part    string

	token            string // access token of the client
	limitedToken     string // access token of the limited client
	txID             string // of the submission that completed
	companyReportID  string // of the same submission
	locationReportID string
}

func (r *run) progressf(format string, values ...any) {
	fmt.Fprintf(r.options.Progress, format+"\n", values...)
}

// record adds a check to the report, unless its label is excluded, and returns
// agrees.
func (r *run) record(name string, label fidelity.Label, expected, got string, agrees bool) bool {
	if r.excludes(label) {
		return agrees
	}
	r.report.Checks = append(r.report.Checks, Check{r.part, name, label, maskSecrets(expected), maskSecrets(got), agrees, false})
	return agrees
}

// secretValue matches tokens and the signed part of upload URLs, which reports
// do not show.
var secretValue = regexp.MustCompile(`((?:access|refresh)_token"?\s*[:=]\s*"?|\bdata=)[^"&\s]+`)

func maskSecrets(text string) string { return secretValue.ReplaceAllString(text, "$1…") }

// recordEqual records a check that agrees if got equals expected.
func (r *run) recordEqual(name string, label fidelity.Label, expected, got string) bool {
	return r.record(name, label, expected, got, expected == got)
}

// skip records that a check could not be made.
func (r *run) skip(name, reason string) {
	r.report.Checks = append(r.report.Checks, Check{r.part, name, fidelity.Stated, "", reason, false, true})
}

// excludes reports whether the options omit checks with the label.
func (r *run) excludes(label fidelity.Label) bool {
	return r.options.OnlyStated && label != fidelity.Stated
}

// expect sends the request and checks the status code and, unless body is
// empty, the body of the response. If label is empty, the labels are those of
// the fidelity table. If the label is excluded, nothing is sent and the
// response is zero.
func (r *run) expect(name string, label fidelity.Label, req request, status int, body string) response {
	known, _ := fidelity.Find(req.method, req.path, status)
	statusLabel, bodyLabel := cmp.Or(label, known.Label, fidelity.Chosen), cmp.Or(label, known.Body, fidelity.Chosen)
	if r.excludes(statusLabel) {
		return response{}
	}
	got := r.send(req)
	agrees := r.record(name, statusLabel, fmt.Sprint(status), got.describe(status), got.status == status)
	if body != "" && agrees {
		r.record(name+", body", bodyLabel, body, got.bodyText(), sameJSON(body, got.bodyText()))
	}
	return got
}
