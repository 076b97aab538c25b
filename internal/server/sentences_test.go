//go:build ignore

package server_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"understudy.example/internal/server/servertest"
)

// sentence is a sentence, a list item or a row of a table of the specification,
// in a few words of ours, with the tests that hold it. A test of TestSpec is
// named as in "TestSpec/uid", one of another package as in "hooks.TestDelivery".
type sentence struct {
	about string
	tests []string
}

// sentences are those of the specification in order, by section. Left out is
// what it says is not shown: that states nothing that could be held.
var sentences = []struct {
	section string
	are     []sentence
}{
	{"What the service does", []sentence{
		{"1 tokens by client credentials", []string{"TestTokenForms", "TestConversation"}},
		{"2 upload address, upload, trigger", []string{"TestConversation"}},
		{"2 a mail, a word document, a PDF, a spreadsheet", []string{"TestExamples", "read.TestSniff", "extract.TestStatementsOfValues"}},
		{"2 poll the status, then read the data", []string{"TestConversation", "TestSpec/data only after the end"}},
		{"3 a name and an address give two report ids", []string{"TestCompanySubmit"}},
		{"3 the company is read by report id", []string{"TestConversation", "TestInquiryShapes"}},
		{"4 three kinds of inquiry", []string{"TestInquiryShapes"}},
		{"5 a tenant creates and updates subscriptions", []string{"hooks.TestCreate", "hooks.TestUpdate"}},
		{"5 payloads are delivered to a URL of its choice", []string{"hooks.TestDelivery"}},
		{"6 subscriptions of the API are not edited in a console", []string{"TestSubscriptionsAreEditedByTheAPIAlone"}},
		{"7 credentials and hosts of each environment", []string{"TestSpec/environments apart", "TestSpec/credentials per environment"}},
		{"7 a token of another environment is worthless", []string{"TestSpec/token of another environment"}},
	}},
	{"Resources, conventions", []sentence{
		{"timestamps", []string{"TestSpec/timestamps"}},
		{"unknown data", []string{"TestSpec/unknown values", "TestInquiryShapes"}},
		{"indicators", []string{"TestSpec/indicators"}},
		{"scores", []string{"TestSpec/scores are decimal strings"}},
	}},
	{"Access token response", []sentence{
		{"access_token", []string{"TestSpec/access_token"}},
		{"token_type", []string{"TestSpec/token_type"}},
		{"expires_in", []string{"TestSpec/expires_in"}},
		{"refresh_token", []string{"TestSpec/refresh_token"}},
		{"scope", []string{"TestSpec/scope"}},
		{"uid", []string{"TestSpec/uid"}},
		{"info", []string{"TestSpec/info"}},
		{"extra.raw_info", []string{"TestSpec/raw_info", "TestTokenAnswer"}},
		{"permission strings", []string{"TestSpec/permission strings", "TestVersionPermissions", "TestKnownByName"}},
		{"the set differs by client", []string{"TestSpec/permissions of a company-only client", "TestCompanyOnlyClient"}},
	}},
	{"Upload-URL response", []sentence{
		{"tx_id", []string{"TestSpec/tx_id"}},
		{"upload_url", []string{"TestSpec/upload_url", "TestUploadURL"}},
	}},
	{"Upload response", []sentence{{"data", []string{"TestSpec/upload answer", "TestUploadIsKept"}}}},
	{"Universal submit response", []sentence{
		{"its fields", []string{"TestSpec/trigger answer"}},
		{"its initial status", []string{"TestSpec/initial status"}},
	}},
	{"Status response", []sentence{
		{"its fields", []string{"TestSpec/status answer"}},
		{"c_report_id once completed", []string{"TestSpec/c_report_id", "TestStatusesNeverGoBack"}},
		{"l_report_id once completed", []string{"TestSpec/l_report_id", "TestStatusesNeverGoBack"}},
	}},
	{"Data inquiry response, company data for a transaction", []sentence{
		{"top level", []string{"TestSpec/company inquiry, top level", "TestInquiryHead"}},
		{"seed_input", []string{"TestSpec/company inquiry, seed_input"}},
		{"cleansed_input", []string{"TestSpec/company inquiry, cleansed_input"}},
		{"facts: identity", []string{"TestSpec/facts, identity"}},
		{"facts: classification", []string{"TestSpec/facts, classification"}},
		{"facts: status and finance", []string{"TestSpec/facts, status and finance"}},
		{"facts: geography", []string{"TestSpec/facts, geography"}},
		{"facts: indicators", []string{"TestSpec/facts, indicators"}},
		{"facts: places of work", []string{"TestSpec/facts, places of work"}},
		{"options", []string{"TestSpec/options"}},
		{"scores", []string{"TestSpec/company inquiry, scores"}},
	}},
	{"Data inquiry response, location data for a transaction", []sentence{
		{"top level, an element per location", []string{"TestSpec/location inquiry, top level"}},
		{"each element", []string{"TestSpec/location inquiry, elements"}},
		{"facts", []string{"TestSpec/location facts"}},
		{"options", []string{"TestSpec/location options"}},
	}},
	{"Company submit request and response", []sentence{
		{"the request", []string{"TestSpec/company submit request"}},
		{"both fields are expected", []string{"TestCompanySubmitRefusals"}},
		{"the response", []string{"TestSpec/company submit answer"}},
	}},
	{"Data inquiry response, company data by report id", []sentence{
		{"top level", []string{"TestSpec/report inquiry, top level"}},
		{"cleansed_input", []string{"TestSpec/report inquiry, cleansed_input"}},
		{"data", []string{"TestSpec/report data"}},
		{"company_id is the report id", []string{"TestSpec/report data, company_id"}},
		{"scores", []string{"TestSpec/report inquiry, scores"}},
	}},
	{"Webhook subscription, fields", []sentence{
		{"id, owner_id, tenant_id, created_at, updated_at", []string{"hooks.TestCreate", "TestHooks"}},
		{"active", []string{"hooks.TestCreate", "hooks.TestUpdate"}},
		{"confirmed is false", []string{"hooks.TestCreate"}},
		{"events", []string{"hooks.TestMatching", "hooks.TestRefusals"}},
		{"config.url", []string{"hooks.TestRefusals", "hooks.TestDelivery"}},
		{"config.header", []string{"hooks.TestDelivery", "hooks.TestRefusals"}},
		{"config.secret comes back empty", []string{"hooks.TestCreate", "TestHooks"}},
	}},
	{"Transaction status", []sentence{
		{"two vocabularies", []string{"TestSpec/state Started to Completed", "TestSpec/state Started to Succeeded, polling vocabulary"}},
		{"none to Submission_in_progress", []string{"TestSpec/state to Submission_in_progress", "TestTriggerWithoutUpload"}},
		{"Submission_in_progress to Scheduled", []string{"TestSpec/state Submission_in_progress to Scheduled"}},
		{"Scheduled to Started", []string{"TestSpec/state Scheduled to Started"}},
		{"Started to Completed", []string{"TestSpec/state Started to Completed"}},
		{"the report ids are there, the data can be read", []string{"TestSpec/report ids at the end"}},
		{"Started to Failed", []string{"TestSpec/state Started to Failed", "TestUnreadableDocuments"}},
		{"Pending to Started", []string{"TestSpec/state Pending to Started, polling vocabulary"}},
		{"Started to Succeeded", []string{"TestSpec/state Started to Succeeded, polling vocabulary"}},
		{"Started to Failed when polled", []string{"TestSpec/state Started to Failed, polling vocabulary"}},
		{"data are read after a final state", []string{"TestSpec/data only after the end"}},
	}},
	{"Webhook subscription, states", []sentence{
		{"created inactive", []string{"hooks.TestCreate"}},
		{"created active, with events", []string{"hooks.TestCreate"}},
		{"turned on", []string{"hooks.TestUpdate", "hooks.TestOffMeansOff"}},
		{"turned off", []string{"hooks.TestUpdate", "hooks.TestOffMeansOff"}},
		{"events come only when URL, events and active allow", []string{"hooks.TestMatching", "hooks.TestOffMeansOff"}},
		{"not active without events", []string{"hooks.TestRefusals"}},
	}},
	{"Endpoints, all", []sentence{
		{"the bearer token", []string{"TestSpec/bearer token everywhere", "hooks.TestCallers"}},
		{"x-api-key", []string{"TestSpec/x-api-key", "TestAPIKey"}},
		{"JSON bodies", []string{"TestSpec/JSON content type"}},
	}},
	{"Endpoint 1, token", []sentence{
		{"method, path, grant_type", []string{"TestTokenForms", "TestTokenBadRequests"}},
		{"Basic credentials, no body", []string{"TestSpec/Basic credentials"}},
		{"response", []string{"TestTokenAnswer"}},
	}},
	{"Endpoint 2, upload address", []sentence{
		{"method and path", []string{"TestUploadURL"}},
		{"body and response", []string{"TestSpec/upload-URL request", "TestUploadURLRefusals"}},
	}},
	{"Endpoint 3, upload", []sentence{
		{"PUT to the exact address, without credentials", []string{"TestSpec/upload to the exact address"}},
		{"one part named file", []string{"TestSpec/upload in parts", "TestUploadRefusals"}},
		{"valid 5 minutes", []string{"TestSpec/upload address, 5 minutes", "TestUploadAddressExpires"}},
	}},
	{"Endpoint 4, trigger", []sentence{
		{"method and path, no body", []string{"TestConversation", "TestTriggerAgain"}},
		{"response", []string{"TestSpec/trigger answer", "TestSpec/initial status"}},
	}},
	{"Endpoint 5, status", []sentence{{"method, path, response", []string{"TestConversation", "TestSpec/status answer"}}}},
	{"Endpoint 6, company data of a transaction", []sentence{
		{"method, path, idType", []string{"TestInquiryShapes", "TestInquiryRefusals"}},
		{"dp_id and tx_id", []string{"TestInquiryRefusals", "TestSpec/tx_id"}},
	}},
	{"Endpoint 7, location data of a transaction", []sentence{
		{"method, path, idType", []string{"TestInquiryShapes"}},
		{"the answer names a location package", []string{"TestSpec/sov shows the location package"}},
	}},
	{"Endpoint 8, company submit", []sentence{{"method, path, body, response", []string{"TestCompanySubmit"}}}},
	{"Endpoint 9, data by report id", []sentence{{"report_id is the c_report_id", []string{"TestSpec/report_id is a c_report_id"}}}},
	{"Endpoint 10, create a subscription", []sentence{
		{"url, required and not blank", []string{"hooks.TestRefusals"}},
		{"active, false by default, needs an event", []string{"hooks.TestCreate", "hooks.TestRefusals"}},
		{"events", []string{"hooks.TestCreate", "hooks.TestRefusals"}},
		{"header", []string{"hooks.TestCreate", "hooks.TestRefusals"}},
		{"secret", []string{"hooks.TestCreate", "hooks.TestDelivery"}},
		{"201 with the subscription", []string{"hooks.TestCreate", "TestHooks"}},
	}},
	{"Endpoint 11, update a subscription", []sentence{
		{"PUT and PATCH alike", []string{"hooks.TestUpdate", "TestHooks"}},
		{"hook_id", []string{"hooks.TestUnknownAndForeign"}},
		{"only changes need to be sent", []string{"hooks.TestUpdate"}},
		{"200 with the subscription", []string{"hooks.TestUpdate", "TestHooks"}},
	}},
	{"Authentication", []sentence{
		{"1 what a customer receives", []string{"TestSpec/credentials per environment"}},
		{"2 Basic authentication for tokens", []string{"TestSpec/Basic credentials", "TestTokenBadCredentials"}},
		{"3 bearer, 12 hours, then refresh or a new token", []string{"TestSpec/token lifetime and renewal", "TestAccessTokenRunsOut", "TestRefreshRotates"}},
		{"4 the same environment", []string{"TestSpec/token of another environment"}},
		{"5 x-api-key", []string{"TestSpec/x-api-key", "TestAPIKey"}},
		{"6 webhooks need a token with permissions", []string{"hooks.TestCallers"}},
		{"7 X-Signature, and one header", []string{"hooks.TestDelivery", "hooks.TestSignatureForms"}},
	}},
	{"Events", []sentence{
		{"1 delivered to the URL of a matching active subscription", []string{"hooks.TestDelivery", "hooks.TestMatching"}},
		{"1 subject, subject:action or *", []string{"hooks.TestMatching"}},
		{"2 stops with active false", []string{"hooks.TestOffMeansOff", "hooks.TestOffStopsWhatWaits"}},
		{"3 header and secret are used", []string{"hooks.TestDelivery"}},
	}},
	{"Errors, webhooks", []sentence{
		{"200 update", []string{"TestHooks"}},
		{"201 create", []string{"TestHooks"}},
		{"400 malformed JSON", []string{"hooks.TestRefusals", "TestHooks"}},
		{"401 credentials", []string{"hooks.TestCallers", "TestHooks"}},
		{"404 unknown hook_id", []string{"hooks.TestUnknownAndForeign", "TestHooks"}},
		{"422 validation", []string{"hooks.TestRefusals", "TestHooks"}},
		{"500 our fault", []string{"TestFaults", "api.TestServe"}},
		{"422 header", []string{"hooks.TestRefusals"}},
		{"422 url", []string{"hooks.TestRefusals"}},
	}},
	{"Limits", []sentence{
		{"access token, 12 hours", []string{"TestSpec/token lifetime and renewal"}},
		{"upload address, 5 minutes", []string{"TestSpec/upload address, 5 minutes"}},
		{"large files", []string{"TestSpec/large files", "TestLargeUpload", "TestDirectSubmitRefusals"}},
	}},
	{"Versioning", []sentence{
		{"1 a path segment, none for webhooks", []string{"TestSpec/version in the path", "TestUnknownRoutes"}},
		{"2 more versions in the permission strings", []string{"TestSpec/permission strings", "TestSubmitVersions", "TestVersionPermissions"}},
		{"3 environments", []string{"TestSpec/environments apart"}},
	}},
}

// TestSentences: every sentence has a test, every test that is named exists,
// and every statement of TestSpec belongs to a sentence.
func TestSentences(t *testing.T) {
	known := testNames(t)
	statements := map[string]bool{} // and whether a sentence names it
	for _, st := range slices.Concat(resources, companyFields, states, endpointsAndLimits) {
		if _, twice := statements[st.name]; twice {
			t.Errorf("two statements are named %q", st.name)
		}
		statements[st.name] = false
	}
	for _, of := range sentences {
		seen := map[string]bool{}
		for _, s := range of.are {
			if len(s.tests) == 0 || seen[s.about] {
				t.Errorf("%s: %s: no test, or there twice", of.section, s.about)
			}
			seen[s.about] = true
			for _, name := range s.tests {
				statement, ofSpec := strings.CutPrefix(name, "TestSpec/")
				_, there := statements[statement]
				switch {
				case ofSpec && there:
					statements[statement] = true
				case ofSpec || !known[name]:
					t.Errorf("%s: %s: there is no test %s", of.section, s.about, name)
				}
			}
		}
	}
	for name, named := range statements {
		if !named {
			t.Errorf("no sentence names the statement %q", name)
		}
	}
}

// testNames are the names of all tests of the module, those of other packages
// with their package's name.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, root := range []string{".", "../../internal"} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			prefix := strings.TrimSuffix(file.Name.Name, "_test") + "."
			if prefix == "main." {
				prefix = ""
			}
			for _, declared := range file.Decls {
				if f, ok := declared.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") && f.Name.Name != "TestMain" {
					names[prefix+f.Name.Name] = true
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return names
}

// TestSubscriptionsAreEditedByTheAPIAlone: no route of the control listener
// that can name a subscription changes it.
func TestSubscriptionsAreEditedByTheAPIAlone(t *testing.T) {
	var all parts
	w := servertest.New(t, servertest.Background, func(p *parts) { all = *p })
	all.observer = w.observer
	made := w.Acme().Do("POST /hooks", `{"url":"https://example.com/events"}`).Want(t, http.StatusCreated)
	named := 0
	err := chi.Walk(controlRoutes(all).(chi.Routes), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		route = strings.Replace(strings.TrimPrefix(route, route.ControlBase), "{t}", "acme", 1)
		path := braced.ReplaceAllString(route, made.Text(t, "id"))
		if method == http.MethodGet || path == route {
			return nil
		}
		named++
		w.ControlWith(t, http.DefaultClient, method+" "+path, `{"active":true,"url":"https://other.example","events":["*"]}`, nil)
		return nil
	})
	if err != nil || named < 3 {
		t.Errorf("%d routes: %v", named, err)
	}
	if after := w.Acme().Do("GET /hooks/"+made.Text(t, "id"), ""); after.Body != made.Body {
		t.Errorf("it was %s, and is %s", made.Body, after.Body)
	}
}
