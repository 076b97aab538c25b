package sandbox

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// NoFindings makes the test fail at its end if there are findings about the tenant's clients
// and webhook receivers. It is AssertNoFindings for the whole test.
func NoFindings() Option { return func(n *tenantRequest) { n.noFindings = true } }

// Findings returns the mistakes that the tenant's clients have made, judged by
// their calls and webhook receivers. There are none if the clients behave well.
func (s *Sandbox) Findings() []Finding {
	s.t.Helper()
	var found struct{ Findings []Finding }
	s.callControl(http.MethodGet, s.tenantPath("/findings"), nil, &found)
	return found.Findings
}

// AssertNoFindings reports the findings so far as errors of the test, each with the first
// calls that show it, the hints in their responses, and the advice of the finding.
func (s *Sandbox) AssertNoFindings() {
	s.t.Helper()
	findings := s.Findings()
	if len(findings) == 0 {
		return
	}
	var text strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&text, "\n  %s (%d): %s\n", f.Rule, f.Count, f.Message)
		calls := s.describeEvidence(f)
		for _, call := range calls {
			fmt.Fprintf(&text, "    %s\n", call)
		}
		if more := f.Count - len(calls); more > 0 && len(calls) > 0 {
			fmt.Fprintf(&text, "    and %d more\n", more)
		}
		fmt.Fprintf(&text, "    Hint: %s", f.Advice)
	}
	s.t.Errorf("understudy: findings about the clients of tenant %s:%s", s.TenantName, text.String())
}

// maxCalls is the maximum number of calls that are shown for a finding.
const maxCalls = 3

// describeEvidence returns the first calls that show the finding, one per line. A finding
// about webhooks has none.
func (s *Sandbox) describeEvidence(f Finding) (calls []string) {
	s.t.Helper()
	for _, id := range f.Evidence[:min(len(f.Evidence), maxCalls)] {
		response, err := s.server.call(s.context(), http.MethodGet, s.tenantPath("/requests/"+url.PathEscape(id)), nil)
		if err == nil && response.Status == http.StatusNotFound {
			continue // the evidence can also be a delivery or a subscription
		}
		var call Request
		if err == nil {
			err = response.Decode(&call)
		}
		if err != nil {
			s.t.Fatalf("understudy: call %s, which shows the finding %s: %v", id, f.Rule, err)
		}
		line := fmt.Sprintf("%s %s: %d", call.Method, call.Path, call.Status)
		if call.Hint != "" {
			line += " (" + call.Hint + ")"
		}
		calls = append(calls, line)
	}
	return calls
}
