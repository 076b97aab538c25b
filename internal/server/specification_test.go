package server_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"understudy.example/internal/enrich"
	"understudy.example/internal/field"
	"understudy.example/internal/seed"
	"understudy.example/internal/server/servertest"
)

// conversation holds the responses of a conversation that went well. The
// statements of the specification are checked on them.
type conversation struct {
	*servertest.Server
	acme                   servertest.Client
	token, uploadURL       servertest.Response
	upload, trigger        servertest.Response
	status                 servertest.Response
	company, locations     servertest.Response // data of the submission
	submitted, report      servertest.Response // a company by name
	full                   servertest.Response // locations when every field is known
	unknown, unknownReport servertest.Response // when no field is known
}

func converse(t *testing.T) *conversation {
	t.Helper()
	s := servertest.New(t)
	c := &conversation{Server: s, acme: s.Acme()}
	c.token = s.NewToken(seed.Demos()[0])
	c.uploadURL = c.acme.Do(servertest.GetUploadURL, `{"filename":"submission.txt"}`).Want(t, http.StatusOK)
	c.upload = s.Upload(c.uploadURL.Text(t, "upload_url"), "submission.txt", servertest.Letter).Want(t, http.StatusOK)
	txID := c.uploadURL.Text(t, "tx_id")
	c.trigger = c.acme.Trigger(txID).Want(t, http.StatusOK)
	s.Settle()
	c.status = c.acme.Status(txID).Want(t, http.StatusOK)
	c.submitted = c.acme.Do(servertest.SubmitCompany, `{"company_name":"Harbour Lane Brewery Inc","address":"5 Dock Road, Portland, ME 04101"}`).Want(t, http.StatusOK)
	c.report = c.acme.Do("GET /data/v1/acme-us-c0001/"+c.submitted.Text(t, "c_report_id"), "").Want(t, http.StatusOK)

	company, locations := "GET /data/v2/acme-us-c0001/"+txID+"?idType=transaction", "GET /data/v2/acme-us-c0001/"+txID+"?idType=sov"
	c.company = c.acme.Do(company, "").Want(t, http.StatusOK)
	c.locations = c.acme.Do(locations, "").Want(t, http.StatusOK)
	s.ReplaceReport(txID, servertest.FullReport())
	c.full = c.acme.Do(locations, "").Want(t, http.StatusOK)
	s.ReplaceReport(txID, enrich.Report{})
	c.unknown = c.acme.Do(company, "").Want(t, http.StatusOK)
	c.unknownReport = c.acme.Do("GET /data/v1/acme-us-c0001/"+c.status.Text(t, "c_report_id"), "").Want(t, http.StatusOK)
	return c
}

// statement is a check of the sentences, on a conversation.
type statement struct {
	sentences []string
	check     func(t *testing.T, c *conversation)
}

// TestSpecification checks what the specification states about responses, on one
// conversation.
func TestSpecification(t *testing.T) {
	c := converse(t)
	for _, s := range slices.Concat(conventions, responses, dataFields) {
		t.Run(s.sentences[0], func(t *testing.T) {
			servertest.Proves(t, s.sentences...)
			s.check(t, c)
		})
	}
}

func says(sentences ...string) []string { return sentences }

var (
	notes            = regexp.MustCompile(`\([^)]*\)|\{[^}]*\}`)
	uuids            = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	locationReportID = regexp.MustCompile(`^LUS[0-9A-F]{17}$`)
	score            = regexp.MustCompile(`^(\d{1,2}\.\d\d|100\.00)$`)
)

// fieldsOf returns the names in a list of the specification, each with the notes
// in brackets that follow it: "tenant_id (UUID), events (array of string)".
func fieldsOf(list string) map[string]string {
	names := map[string]string{}
	list = notes.ReplaceAllStringFunc(list, func(note string) string { return strings.NewReplacer(",", " ", ";", " ").Replace(note) })
	for item := range strings.SplitSeq(strings.ReplaceAll(list, ";", ","), ",") {
		for name := range strings.SplitSeq(notes.ReplaceAllString(item, ""), " and ") {
			names[strings.TrimSpace(name)] = item
		}
	}
	return names
}

// checkFields checks that the object has every field of the list, with a value of
// the type that its notes state; the default is a string.
func checkFields(t *testing.T, object any, list string) {
	t.Helper()
	values, _ := object.(map[string]any)
	for name, note := range fieldsOf(list) {
		value, ok := values[name]
		if !ok {
			t.Errorf("%s is missing", name)
		} else if !hasType(value, note) {
			t.Errorf("%s is %#v", name, value)
		}
	}
}

func hasType(value any, note string) bool {
	text, isText := value.(string)
	_, isArray := value.([]any)
	_, isNumber := value.(float64)
	_, isObject := value.(map[string]any)
	switch {
	case strings.Contains(note, "(array"):
		return isArray
	case strings.Contains(note, "(nullable"):
		return value == nil || isText
	case strings.Contains(note, "(UUID"):
		return isText && uuids.MatchString(text)
	case strings.Contains(note, "(number"), strings.Contains(note, "(integer"):
		return isNumber
	case strings.Contains(note, "(object"), strings.Contains(note, "{"):
		return isObject
	default:
		return isText
	}
}

// hasFields is the statement that an object has the fields of a list.
func hasFields(sentences []string, list string, object func(t *testing.T, c *conversation) any) statement {
	return statement{sentences, func(t *testing.T, c *conversation) { checkFields(t, object(t, c), list) }}
}

// visit calls f with each scalar of a JSON value and the name of its field.
func visit(value any, name string, f func(name string, value any)) {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			visit(inner, name, f)
		}
	case []any:
		for _, inner := range v {
			visit(inner, name, f)
		}
	default:
		f(name, value)
	}
}

var conventions = []statement{
	{says("Resources, conventions: timestamps"), func(t *testing.T, c *conversation) {
		seen := 0
		for _, response := range []servertest.Response{c.token, c.trigger, c.status, c.company, c.locations, c.submitted, c.report} {
			visit(response.Get(t), "", func(name string, value any) {
				if !strings.HasSuffix(name, "_at") && name != "tx_start_time" && name != "tx_end_time" {
					return
				}
				text, _ := value.(string)
				if _, err := time.Parse(time.RFC3339, text); err != nil || !strings.HasSuffix(text, "+00:00") && !strings.HasSuffix(text, "Z") {
					t.Errorf("%s is %v", name, value)
				}
				seen++
			})
		}
		if seen != 14 {
			t.Errorf("%d timestamps", seen)
		}
	}},
	{says("Resources, conventions: unknown data"), func(t *testing.T, c *conversation) {
		for _, part := range []any{c.unknown.Get(t, "data", "facts"), c.unknown.Get(t, "data", "options"), c.unknownReport.Get(t, "data")} {
			for name, value := range part.(map[string]any) {
				list, isList := value.([]any)
				if value != "" && !(isList && len(list) == 0) && name != "year_in_business" && name != "company_id" {
					t.Errorf("%s is %v", name, value)
				}
			}
		}
	}},
	{says("Resources, conventions: indicators"), func(t *testing.T, c *conversation) {
		for _, response := range []servertest.Response{c.company, c.unknown} {
			for _, f := range slices.Concat(field.Facts, field.Options) {
				if f.Kind != field.Indicator {
					continue
				}
				for _, part := range []string{"facts", "options"} {
					value, ok := response.Get(t, "data", part).(map[string]any)[f.Name]
					if ok && value != "Y" && value != "N" && value != "" {
						t.Errorf("%s is %v", f.Name, value)
					}
				}
			}
		}
	}},
	{says("Resources, conventions: scores"), func(t *testing.T, c *conversation) {
		seen := 0
		for _, scores := range []any{c.company.Get(t, "scores"), c.report.Get(t, "scores")} {
			for name, value := range scores.(map[string]any) {
				if text, _ := value.(string); !score.MatchString(text) {
					t.Errorf("%s is %v", name, value)
				}
				seen++
			}
		}
		if seen == 0 {
			t.Error("no scores")
		}
	}},
}

// responses are the statements about tokens, uploads, triggers and statuses.
var responses = []statement{
	{says("Access token response: access_token"), func(t *testing.T, c *conversation) {
		txID := c.uploadURL.Text(t, "tx_id")
		servertest.Client{Server: c.Server, Token: c.token.Text(t, "access_token"), Key: c.acme.Key}.Status(txID).Want(t, http.StatusOK)
	}},
	{says("Access token response: token_type"), func(t *testing.T, c *conversation) {
		if c.token.Text(t, "token_type") != "bearer" {
			t.Error(c.token.Body)
		}
	}},
	{says("Access token response: expires_in"), func(t *testing.T, c *conversation) {
		if c.token.Get(t, "expires_in") != 43200.0 {
			t.Error(c.token.Body)
		}
	}},
	{says("Access token response: refresh_token"), func(t *testing.T, c *conversation) {
		c.Refresh(seed.Demos()[0], c.token.Text(t, "refresh_token")).Want(t, http.StatusOK)
	}},
	{says("Access token response: scope"), func(t *testing.T, c *conversation) {
		if c.token.Text(t, "scope") != "" {
			t.Error(c.token.Body)
		}
	}},
	{says("Access token response: uid"), func(t *testing.T, c *conversation) {
		if id, err := uuid.Parse(c.token.Text(t, "uid")); err != nil || id.String() != c.status.Text(t, "user_id") {
			t.Error(c.token.Body)
		}
	}},
	{says("Chosen, token endpoint: tenant_id is a UUID in raw_info, and the tenant's name elsewhere", "Chosen, token endpoint: user_id is the same everywhere"), func(t *testing.T, c *conversation) {
		user := c.token.Text(t, "uid")
		if id := c.token.Text(t, "extra", "raw_info", "tenant_id"); !uuids.MatchString(id) || c.token.Text(t, "extra", "raw_info", "user_id") != user {
			t.Error(c.token.Body)
		}
		if c.trigger.Text(t, "tenant_id") != "acme" {
			t.Error(c.trigger.Body)
		}
		for _, response := range []servertest.Response{c.status, c.company, c.locations, c.submitted, c.report} {
			if response.Text(t, "tenant_id") != "acme" || response.Text(t, "user_id") != user {
				t.Errorf("tenant_id and user_id of %s, want acme and %s", response.Body, user)
			}
		}
	}},
	hasFields(says("Access token response: info"), "name, email (nullable), first_name, last_name", func(t *testing.T, c *conversation) any {
		return c.token.Get(t, "info")
	}),
	hasFields(says("Access token response: extra.raw_info"), "user_id (UUID), tenant_id (UUID), tenant_name, tenant_subdomain, tenant_theme, tenant_type (nullable), primary_user_group_id (UUID), user_group_ids (array of UUID), name, email (nullable), first_name, last_name, phone (nullable), permissions (array of string), auth_uid (nullable), created_at (timestamp), tenant_created_at (timestamp), completed_steps (array), accepted_agreements (array), plan_sku (nullable), sub_status (nullable)", func(t *testing.T, c *conversation) any {
		return c.token.Get(t, "extra", "raw_info")
	}),
	{says("Access token response: permission strings", "Versioning: 2 more versions in the permission strings"), func(t *testing.T, c *conversation) {
		permissions := c.token.Get(t, "extra", "raw_info", "permissions").([]any)
		for _, want := range []string{
			"::data/v2:get", "::data/v1:get", "::universal/v3/universal-submit:get", "::universal/v3/universal-submit:post",
			"::universal/v2/universal-submit:get", "::universal/v2/universal-submit:post", "::universal/v1/universal-submit:get",
			"::universal/v1/universal-submit:post", "::audit/v1/report:get", "::location/v1/location_submit:post",
			"::company/v1/quick_submit:post", "::company/v1/company_submit:post",
		} {
			if !slices.Contains(permissions, any(want)) {
				t.Errorf("%s is missing", want)
			}
		}
	}},
	{says("Access token response: the set differs by client"), func(t *testing.T, c *conversation) {
		companyOnly := seed.Demos()[2]
		got := c.NewToken(companyOnly).Get(t, "extra", "raw_info", "permissions")
		if diff := cmp.Diff([]any{"::data/v1:get", "::company/v1/quick_submit:post", "::company/v1/company_submit:post"}, got); diff != "" {
			t.Error(diff)
		}
	}},
	{says("Upload-URL response: tx_id", "Endpoint 6, company data of a transaction: dp_id and tx_id"), func(t *testing.T, c *conversation) {
		txID := c.uploadURL.Text(t, "tx_id")
		if !uuids.MatchString(txID) || c.trigger.Text(t, "tx_id") != txID || c.status.Text(t, "tx_id") != txID || c.company.Text(t, "doc_reference_id") != txID {
			t.Error(txID)
		}
	}},
	{says("Upload-URL response: upload_url"), func(t *testing.T, c *conversation) {
		if !strings.HasPrefix(c.uploadURL.Text(t, "upload_url"), c.URL+"/file-transfer/upload-file?data=") {
			t.Error(c.uploadURL.Body)
		}
	}},
	{says("Endpoint 2, upload URL: body and response"), func(t *testing.T, c *conversation) {
		servertest.CheckKeys(t, c.uploadURL.Get(t), "tx_id:s upload_url:s")
	}},
	{says("Upload response: data", "Endpoint 3, upload: one part named file"), func(t *testing.T, c *conversation) {
		servertest.CheckKeys(t, c.upload.Get(t), "data:s")
		c.upload.Want(t, http.StatusOK, `{"data":"s3://understudy/acme/`+c.uploadURL.Text(t, "tx_id")+`/submission.txt"}`)
	}},
	hasFields(says("Universal submit response: its fields", "Endpoint 4, trigger: response"), "tx_id (UUID), tx_start_time, tx_end_time, response_time_secs (number), tenant_id, status", func(t *testing.T, c *conversation) any {
		return c.trigger.Get(t)
	}),
	{says("Universal submit response: its initial status"), func(t *testing.T, c *conversation) {
		if c.trigger.Text(t, "status") != "Submission_in_progress" {
			t.Error(c.trigger.Body)
		}
	}},
	hasFields(says("Status response: its fields", "Endpoint 5, status: method, path, response"), "tx_id, tenant_id, user_id, tx_start_time, tx_end_time, response_time_secs (number), status, c_report_id, l_report_id", func(t *testing.T, c *conversation) any {
		return c.status.Get(t)
	}),
	{says("Status response: c_report_id once completed"), func(t *testing.T, c *conversation) {
		c.acme.Do("GET /data/v1/acme-us-c0001/"+c.status.Text(t, "c_report_id"), "").Want(t, http.StatusOK)
	}},
	{says("Status response: l_report_id once completed"), func(t *testing.T, c *conversation) {
		if !locationReportID.MatchString(c.status.Text(t, "l_report_id")) || c.status.Text(t, "l_report_id") != c.locations.Text(t, "l_report_id") {
			t.Error(c.status.Body)
		}
	}},
	{says("Transaction status: Completed: report ids are present, data can be read"), func(t *testing.T, c *conversation) {
		for _, id := range []string{"c_report_id", "l_report_id"} {
			if c.status.Text(t, id) == "" || c.status.Text(t, id) != c.company.Text(t, id) {
				t.Error(c.status.Body)
			}
		}
	}},
	{says("Endpoints, all: JSON bodies"), func(t *testing.T, c *conversation) {
		for _, response := range []servertest.Response{c.token, c.uploadURL, c.upload, c.trigger, c.status, c.company, c.locations, c.submitted, c.report} {
			if response.Header.Get("Content-Type") != "application/json" {
				t.Errorf("header %v", response.Header)
			}
		}
	}},
	{says("Endpoint 7, location data of a transaction: the response has the location package"), func(t *testing.T, c *conversation) {
		if c.locations.Text(t, "data_package_id") != "acme-us-l0001" {
			t.Error(c.locations.Body)
		}
	}},
	{says("Endpoint 9, data by report id: report_id is the c_report_id"), func(t *testing.T, c *conversation) {
		if c.report.Text(t, "c_report_id") != c.submitted.Text(t, "c_report_id") {
			t.Error(c.report.Body)
		}
	}},
}
