package openapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/control"
	"understudy.example/internal/openapi"
	"understudy.example/internal/route"
	"understudy.example/internal/server/servertest"
)

// TestReferenceHasEveryOperation checks that the reference of both APIs has every
// operation, and that the versions of an operation share a row.
func TestReferenceHasEveryOperation(t *testing.T) {
	t.Parallel()
	published, err := openapi.Published()
	if err != nil {
		t.Fatal(err)
	}
	for name, document := range map[string][]byte{"emulated": published, "control": control.Document} {
		reference, err := openapi.NewReference(document, func(string, string, string) string { return "" })
		if err != nil {
			t.Fatal(err)
		}
		lines, rows := map[string]bool{}, map[string]string{}
		for _, group := range reference.Groups {
			for _, row := range group.Rows {
				var versions []string
				for _, operation := range row.Operations {
					lines[operation.Method+" "+operation.Path] = true
					versions = append(versions, operation.Version)
					if operation.Summary == "" || len(operation.Responses) == 0 {
						t.Errorf("%s has no summary or no responses", operation.ID)
					}
				}
				rows[row.Method+" "+row.Path] = strings.Join(versions, " ")
			}
		}
		listed, base := route.API, ""
		if name == "control" {
			listed, base = route.Control, route.ControlBase
		}
		for _, rt := range listed {
			if line := rt.Method + " " + strings.TrimSuffix(base+strings.TrimPrefix(rt.Documented(), rt.Method+" "), "/"); !lines[line] {
				t.Errorf("the %s reference lacks %s", name, line)
			}
		}
		if name == "emulated" {
			got := map[string]string{}
			for _, line := range []string{"GET /universal/{version}/universal-submit/status/{tx_id}", "GET /data/{version}/{dp_id}/{report_id}", "GET /hooks"} {
				got[line] = rows[line]
			}
			want := map[string]string{
				"GET /universal/{version}/universal-submit/status/{tx_id}": "v1 v2 v3 v4", "GET /data/{version}/{dp_id}/{report_id}": "v1 v2 v3 v4 v5", "GET /hooks": "",
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("rows (- want, + got):\n%s", diff)
			}
		}
	}
}

// TestReferenceHasRecordedResponses checks that the page has the responses that the
// server gives when a check fails, and the labels of certainty.
func TestReferenceHasRecordedResponses(t *testing.T) {
	s := servertest.New(t)
	page := s.Do(servertest.Call{Line: "GET /docs"}).Want(t, http.StatusOK).Body
	acme := s.Acme()
	for _, call := range []servertest.Call{
		{Line: "GET /nowhere"},
		{Line: "GET /hooks/a/b/c"},
		{Line: "GET /hooks"},
		{Line: "GET /universal/v2/universal-submit/status/" + servertest.Absent},
		{Line: "GET /universal/v2/universal-submit/status/" + servertest.Absent, Token: acme.Token},
		{Line: "GET /universal/v2/universal-submit/status/" + servertest.Absent, Token: acme.Token, Key: acme.Key},
		{Line: "POST /universal/v2/universal-submit/file-upload-url", Token: acme.Token, Key: acme.Key, Body: "{}"},
		{Line: "POST /universal/v2/universal-submit/file-upload-url", Token: acme.Token, Key: acme.Key, Body: "{"},
		{Line: "POST /hooks", Token: acme.Token, Body: `{"url":"","events":["*"]}`},
		{Line: "GET /hooks/" + servertest.Absent, Token: acme.Token},
	} {
		refused := s.Do(call)
		want := strings.NewReplacer(`"`, "&#34;", "'", "&#39;").Replace(refused.Body)
		if !strings.Contains(page, fmt.Sprintf("<code>%d %s</code>", refused.Status, want)) {
			t.Errorf("%s: the page lacks %d %s", call.Line, refused.Status, refused.Body)
		}
	}
	if n := strings.Count(page, "The rate limit is not exceeded"); n != 1 || strings.Count(page, "<ol>") > 0 {
		t.Errorf("the page has the order of checks %d times, want once, as a table", n)
	}
	for _, label := range []string{"stated", "public", "chosen"} {
		if !strings.Contains(page, `<span class="certain `+label+`">`) {
			t.Errorf("the page has no label %s", label)
		}
	}
}

// TestReferenceReadsWell checks that emphasis is shown as such, that headings have no full
// stop, and that an enumeration names its empty value.
func TestReferenceReadsWell(t *testing.T) {
	page := servertest.New(t).Do(servertest.Call{Line: "GET /docs"}).Want(t, http.StatusOK).Body
	for _, want := range []string{"are <em>chosen</em> unless", "<em>(stated)</em>", ">Access tokens</h2>", "<td>client_credentials, refresh_token, empty</td>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
