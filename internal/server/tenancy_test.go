package server_test

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/route"
	"understudy.example/internal/server/servertest"
)

// tenantObjects are the ids of one tenant's objects, as paths name them.
type tenantObjects struct {
	companyPackage, locationPackage      string
	submission, announced, companySubmit string // tx_ids
	companyReport, locationReport        string // of the submission
	submittedReport                      string // of the company submit
	hook, request                        string
}

// createObjects creates one object of each kind for the client's tenant.
func createObjects(t testing.TB, c servertest.Client, tenant string) tenantObjects {
	t.Helper()
	hook := c.Do("POST /hooks", `{"active":true,"url":"http://127.0.0.1:9","events":["*"]}`).Want(t, http.StatusCreated).Text(t, "id")
	announced, _ := c.Announce("a.txt")
	submission := c.Submit("a.txt", servertest.Letter)
	status := c.Status(submission)
	company := c.Do(servertest.SubmitCompany, `{"company_name":"Harbour Lane Brewery Inc","address":"5 Dock Road, Portland, ME 04101"}`).Want(t, http.StatusOK)
	requests := c.Do("GET /hooks/"+hook+"/requests", "").Want(t, http.StatusOK).Get(t).([]any)
	return tenantObjects{
		companyPackage: tenant + "-us-c0001", locationPackage: tenant + "-us-l0001",
		submission: submission, announced: announced, companySubmit: company.Text(t, "tx_id"),
		companyReport: status.Text(t, "c_report_id"), locationReport: status.Text(t, "l_report_id"), submittedReport: company.Text(t, "c_report_id"),
		hook: hook, request: requests[0].(map[string]any)["id"].(string),
	}
}

// idCase is an id that the caller must not be able to use. The response must be
// that of unknown, an id of the same form that nothing has.
type idCase struct{ id, unknown string }

// malformedIDs are ids, escaped as in a path, that no object of any kind can have.
var malformedIDs = []string{"x", "1", "null", "%20", "%00", "%FF", "..%2F..", strings.Repeat("a", 300)}

// forbiddenIDs returns, by path parameter, the ids that another tenant than the
// owner of the objects must not be able to use.
func forbiddenIDs(foreign tenantObjects) map[string][]idCase {
	const (
		unknownPackage        = "acme-us-c0009"
		unknownCompanySubmit  = "acme-" + servertest.Absent
		unknownCompanyReport  = "CUS1187A2AAE214E4540"
		unknownLocationReport = "LUS1187A2AAE214E4540"
	)
	ids := map[string][]idCase{
		"{dp_id}": {{foreign.companyPackage, unknownPackage}, {foreign.locationPackage, unknownPackage}},
		"{tx_id}": {
			{foreign.submission, servertest.Absent},
			{foreign.announced, servertest.Absent},
			{foreign.companySubmit, unknownCompanySubmit},
			// From version 3 on, an inquiry takes these too.
			{foreign.companyReport, unknownCompanyReport},
			{foreign.locationReport, unknownLocationReport},
			{foreign.submittedReport, unknownCompanyReport},
		},
		"{report_id}": {
			{foreign.companyReport, unknownCompanyReport},
			{foreign.locationReport, unknownLocationReport},
			{foreign.submittedReport, unknownCompanyReport},
			{foreign.submission, servertest.Absent},
		},
		"{hook_id}":    {{foreign.hook, servertest.Absent}},
		"{request_id}": {{foreign.request, servertest.Absent}},
	}
	plausible := map[string]string{
		"{dp_id}": unknownPackage, "{tx_id}": servertest.Absent, "{report_id}": unknownCompanyReport,
		"{hook_id}": servertest.Absent, "{request_id}": servertest.Absent,
	}
	for parameter, unknown := range plausible {
		for _, malformed := range malformedIDs {
			ids[parameter] = append(ids[parameter], idCase{malformed, unknown})
		}
	}
	return ids
}

var pathParameter = regexp.MustCompile(`\{\w+\}`)

// TestTenancy calls every route of the API whose path names an object with objects
// of another tenant and with malformed ids. The response must be exactly that of
// an unknown object, and nothing may change. The call with another tenant's object must
// also run the same SQL statements, so that its duration reveals nothing.
func TestTenancy(t *testing.T) {
	servertest.Proves(t,
		"Chosen, order of checks: a foreign object is answered as an unknown one",
		"Chosen, hints: the same for a foreign object as for an unknown one",
		"Chosen, universal submit: unknown, malformed or foreign tx_id: 404")
	statements := &servertest.Statements{}
	s := servertest.New(t, statements.Record(t))
	acme, globex := s.Acme(), s.Globex()
	foreign, own := createObjects(t, acme, "acme"), createObjects(t, globex, "globex")
	forbidden := forbiddenIDs(foreign)
	ownIDs := map[string]string{
		"{dp_id}": own.companyPackage, "{tx_id}": own.submission, "{report_id}": own.companyReport,
		"{hook_id}": own.hook, "{request_id}": own.request,
	}
	call := func(t *testing.T, rt route.Route, ids map[string]string) (servertest.Response, []string) {
		t.Helper()
		c := servertest.Sample(t, rt)
		_, query, _ := strings.Cut(c.Line, "?")
		c.Line = rt.Method + " " + pathParameter.ReplaceAllStringFunc(rt.Path, func(parameter string) string { return ids[parameter] }) + "?" + query
		c.Token, c.Key = globex.Token, globex.Key
		statements.Take()
		response := withoutIdentity(s.Do(c))
		return response, statements.Take()
	}
	var routes []route.Route
	for _, rt := range route.API {
		if pathParameter.MatchString(rt.Path) {
			routes = append(routes, rt)
		}
	}
	for _, rt := range routes {
		t.Run(rt.Pattern(), func(t *testing.T) {
			parameters := pathParameter.FindAllString(rt.Path, -1)
			for _, parameter := range parameters {
				if len(forbidden[parameter]) == 0 {
					t.Fatalf("this test has no ids for %s", parameter)
				}
			}
			ran := 0 // statements
			check := func(cases map[string]idCase) {
				t.Helper()
				ids, unknown := maps.Clone(ownIDs), maps.Clone(ownIDs)
				for parameter, c := range cases {
					ids[parameter], unknown[parameter] = c.id, c.unknown
				}
				want, wantRun := call(t, rt, unknown)
				got, run := call(t, rt, ids)
				if want.Status != http.StatusNotFound {
					t.Errorf("response to unknown ids %v: %d %s, want status 404", cases, want.Status, want.Body)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%v (- response to unknown ids, + got):\n%s", cases, diff)
				}
				for _, c := range cases {
					if slices.Contains(malformedIDs, c.id) {
						return // it needs no lookup
					}
				}
				ran += len(run)
				if diff := cmp.Diff(wantRun, run); diff != "" {
					t.Errorf("%v (- statements of unknown ids, + got):\n%s", cases, diff)
				}
			}
			s.Unchanged(t, func() {
				for _, parameter := range parameters { // the others are the caller's own
					for _, c := range forbidden[parameter] {
						check(map[string]idCase{parameter: c})
					}
				}
				if len(parameters) == 2 {
					for _, first := range forbidden[parameters[0]] {
						for _, second := range forbidden[parameters[1]] {
							check(map[string]idCase{parameters[0]: first, parameters[1]: second})
						}
					}
				}
			})
			if ran == 0 {
				t.Error("no statements were recorded")
			}
		})
	}
	// The caller's own objects are found, so that the responses above are due to the
	// ids. Deletion comes last.
	deletes := func(rt route.Route) bool { return rt.Method == http.MethodDelete }
	last := slices.DeleteFunc(slices.Clone(routes), func(rt route.Route) bool { return !deletes(rt) })
	routes = append(slices.DeleteFunc(routes, deletes), last...)
	for _, rt := range routes {
		if got, _ := call(t, rt, ownIDs); got.Status >= 300 {
			t.Errorf("%s with the caller's own ids: %d %s", rt.Pattern(), got.Status, got.Body)
		}
	}
}

// withoutIdentity returns the response without the headers that differ in every
// response.
func withoutIdentity(r servertest.Response) servertest.Response {
	r.Header.Del("X-Request-Id")
	r.Header.Del("Date")
	return r
}
