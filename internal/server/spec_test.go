//go:build ignore

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

	"understudy.example/internal/auth"
	"understudy.example/internal/enrich"
	"understudy.example/internal/field"
	"understudy.example/internal/server/servertest"
)

// statement is what the specification says in a sentence or a row of a table,
// by a name of ours, with what shows that it holds. The table of sentences
// (sentences_test.go) has the sentences in order.
type statement struct {
	name  string
	holds func(t *testing.T, s *story)
}

// story is a conversation that went well, for the statements to look at.
type story struct {
	*servertest.Server
	acme                   caller
	token, address         servertest.Response
	upload, trigger        servertest.Response
	status                 servertest.Response
	company, sov           answer // of the submission
	submitted, report      answer // of a company by name
	unknown, unknownReport answer // where nothing is known
}

// tell has the conversation.
func tell(t *testing.T) *story {
	t.Helper()
	s := &story{world: servertest.New(t, func(o *servertest.Options) { o.MaxUpload = 100 << 20 })}
	s.Token = s.Server.NewToken(auth.Demos[0])
	s.acme = s.Server.Acme()
	s.address = s.acme.Do(uploadURL, `{"filename":"submission.txt"}`).Want(t, http.StatusOK)
	s.upload = s.Server.Upload(s.address.Text(t, "upload_url"), "submission.txt", servertest.Letter).Want(t, http.StatusOK)
	txID := s.address.Text(t, "tx_id")
	s.trigger = s.acme.Trigger(txID).Want(t, http.StatusOK)
	for range 4 {
		s.Pass(2 * time.Second)
		s.Work()
	}
	s.status = s.acme.Status(txID).Want(t, http.StatusOK)
	s.inquire(t)
	s.submitted = s.acme.Do(companySubmit, `{"company_name":"Harbour Lane Brewery Inc","address":"5 Dock Road, Portland, ME 04101"}`).Want(t, http.StatusOK)
	s.report = s.acme.Do("GET /data/v1/acme-us-c0001/"+s.submitted.Text(t, "c_report_id"), "").Want(t, http.StatusOK)

	// The same with nothing known, and then with everything.
	s.Server.report(txID, enrich.Report{})
	s.unknown = s.acme.Do("GET /data/v2/acme-us-c0001/"+txID+"?idType=transaction", "").Want(t, http.StatusOK)
	s.unknownReport = s.acme.Do("GET /data/v1/acme-us-c0001/"+s.status.Text(t, "c_report_id"), "").Want(t, http.StatusOK)
	s.Server.report(txID, everything())
	return s
}

// inquire asks for the submission's data.
func (s *story) inquire(t *testing.T) {
	t.Helper()
	line := "GET /data/v2/acme-us-c0001/" + s.address.Text(t, "tx_id") + "?idType="
	s.company = s.acme.Do(line+"transaction", "").Want(t, http.StatusOK)
	s.sov = s.acme.Do(line+"sov", "").Want(t, http.StatusOK)
}

// TestSpec: what the specification states, one statement after the other, on
// one conversation.
func TestSpec(t *testing.T) {
	s := tell(t)
	for _, st := range slices.Concat(resources, companyFields, states, endpointsAndLimits) {
		t.Run(st.name, func(t *testing.T) { st.holds(t, s) })
	}
}

var (
	note  = regexp.MustCompile(`\([^)]*\)|\{[^}]*\}`)
	uuids = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
)

// listed are the names of a list after a colon, each with the notes in
// brackets that stand beside it.
func listed(fields string) map[string]string {
	_, list, _ := strings.Cut(fields, ": ")
	names := map[string]string{}
	outside := note.ReplaceAllStringFunc(list, func(text string) string { return strings.NewReplacer(",", " ", ";", " ").Replace(text) })
	outside = strings.ReplaceAll(strings.TrimSuffix(outside, "."), ";", ",")
	for item := range strings.SplitSeq(outside, ",") {
		for name := range strings.SplitSeq(note.ReplaceAllString(item, ""), " and ") {
			names[strings.TrimSpace(name)] = item
		}
	}
	return names
}

// has wants the object to have every field of the list, each of the type that
// it notes: a string where it notes none.
func has(t *testing.T, object any, fields string) {
	t.Helper()
	values, _ := object.(map[string]any)
	for name, noted := range listed(fields) {
		value, there := values[name]
		_, isText := value.(string)
		_, isList := value.([]any)
		_, isNumber := value.(float64)
		_, isObject := value.(map[string]any)
		switch {
		case !there:
			t.Errorf("%s is missing", name)
		case strings.Contains(noted, "(array"):
			there = isList
		case strings.Contains(noted, "(nullable"):
			there = value == nil || isText
		case strings.Contains(noted, "(UUID"):
			there = isText && uuids.MatchString(value.(string))
		case strings.Contains(noted, "(number") || strings.Contains(noted, "(integer"):
			there = isNumber
		case strings.Contains(noted, "{"), name == "cleansed_input", name == "scores", name == "data":
			there = isObject || isList
		case strings.HasPrefix(fields, "arrays: "):
			there = isList
		default:
			there = isText
		}
		if !there {
			t.Errorf("%s is %#v", name, value)
		}
	}
}

// listing is the statement that an object has the fields of a list.
func listing(name, fields string, object func(t *testing.T, s *story) any) statement {
	return statement{name, func(t *testing.T, s *story) { has(t, object(t, s), fields) }}
}

// every calls f with each value of an answer and the name it stands under.
func every(value any, name string, f func(name string, value any)) {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			every(inner, name, f)
		}
	case []any:
		for _, inner := range v {
			every(inner, name, f)
		}
	default:
		f(name, value)
	}
}

var resources = []statement{
	{"timestamps", func(t *testing.T, s *story) {
		seen := 0
		for _, a := range []servertest.Response{s.Token, s.trigger, s.status, s.company, s.sov, s.submitted, s.report} {
			every(a.Get(t), "", func(name string, value any) {
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
	{"unknown values", func(t *testing.T, s *story) {
		for _, part := range []any{s.unknown.Get(t, "data", "facts"), s.unknown.Get(t, "data", "options"), s.unknownReport.Get(t, "data")} {
			for name, value := range part.(map[string]any) {
				list, isList := value.([]any)
				if value != "" && !(isList && len(list) == 0) && name != "year_in_business" && name != "company_id" {
					t.Errorf("%s is %v", name, value)
				}
			}
		}
	}},
	{"indicators", func(t *testing.T, s *story) {
		for _, a := range []servertest.Response{s.company, s.unknown} {
			for _, f := range slices.Concat(field.Facts, field.Options) {
				if f.Kind != field.Indicator {
					continue
				}
				for _, in := range []string{"facts", "options"} {
					value, there := a.Get(t, "data", in).(map[string]any)[f.Name]
					if there && value != "Y" && value != "N" && value != "" {
						t.Errorf("%s is %v", f.Name, value)
					}
				}
			}
		}
	}},
	{"scores are decimal strings", func(t *testing.T, s *story) {
		seen := 0
		for _, scores := range []any{s.company.Get(t, "scores"), s.report.Get(t, "scores")} {
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
	{"access_token", func(t *testing.T, s *story) {
		s.status401(t, s.Token.Text(t, "access_token"), false)
	}},
	{"token_type", func(t *testing.T, s *story) {
		if s.Token.Text(t, "token_type") != "bearer" {
			t.Error(s.Token.Body)
		}
	}},
	{"expires_in", func(t *testing.T, s *story) {
		if s.Token.Get(t, "expires_in") != 43200.0 {
			t.Error(s.Token.Body)
		}
	}},
	{"refresh_token", func(t *testing.T, s *story) {
		s.refresh(auth.Demos[0], s.Token.Text(t, "refresh_token")).Want(t, http.StatusOK)
	}},
	{"scope", func(t *testing.T, s *story) {
		if s.Token.Text(t, "scope") != "" {
			t.Error(s.Token.Body)
		}
	}},
	{"uid", func(t *testing.T, s *story) {
		if id, err := uuid.Parse(s.Token.Text(t, "uid")); err != nil || id.String() != s.status.Text(t, "user_id") {
			t.Error(s.Token.Body)
		}
	}},
	{"info", func(t *testing.T, s *story) {
		has(t, s.Token.Get(t, "info"), ": name, email (nullable), first_name, last_name")
	}},
	listing("raw_info", ": user_id (UUID), tenant_id (UUID), tenant_name, tenant_subdomain, tenant_theme, tenant_type (nullable), primary_user_group_id (UUID), user_group_ids (array of UUID), name, email (nullable), first_name, last_name, phone (nullable), permissions (array of string), auth_uid (nullable), created_at (timestamp), tenant_created_at (timestamp), completed_steps (array), accepted_agreements (array), plan_sku (nullable), sub_status (nullable)", func(t *testing.T, s *story) any { return s.Token.Get(t, "extra", "raw_info") }),
	{"permission strings", func(t *testing.T, s *story) {
		seen := s.Token.Get(t, "extra", "raw_info", "permissions").([]any)
		for _, want := range []string{
			"::data/v2:get", "::data/v1:get", "::universal/v3/universal-submit:get", "::universal/v3/universal-submit:post",
			"::universal/v2/universal-submit:get", "::universal/v2/universal-submit:post", "::universal/v1/universal-submit:get",
			"::universal/v1/universal-submit:post", "::audit/v1/report:get", "::location/v1/location_submit:post",
			"::company/v1/quick_submit:post", "::company/v1/company_submit:post",
		} {
			if !slices.Contains(seen, any(want)) {
				t.Errorf("%s is missing", want)
			}
		}
	}},
	{"permissions of a company-only client", func(t *testing.T, s *story) {
		got := s.Server.token(demoOf("acme-company-client")).Get(t, "extra", "raw_info", "permissions")
		if diff := cmp.Diff([]any{"::data/v1:get", "::company/v1/quick_submit:post", "::company/v1/company_submit:post"}, got); diff != "" {
			t.Error(diff)
		}
	}},
	{"tx_id", func(t *testing.T, s *story) {
		txID := s.address.Text(t, "tx_id")
		if !uuids.MatchString(txID) || s.trigger.Text(t, "tx_id") != txID || s.status.Text(t, "tx_id") != txID || s.company.Text(t, "doc_reference_id") != txID {
			t.Error(txID)
		}
	}},
	{"upload_url", func(t *testing.T, s *story) {
		if !strings.HasPrefix(s.address.Text(t, "upload_url"), s.url+"/file-transfer/upload-file?data=") {
			t.Error(s.address.Body)
		}
	}},
	{"upload answer", func(t *testing.T, s *story) {
		s.upload.Want(t, http.StatusOK, `{"data":"s3://understudy/acme/`+s.address.Text(t, "tx_id")+`/submission.txt"}`)
	}},
	listing("trigger answer", ": tx_id, tx_start_time, tx_end_time, response_time_secs (number), tenant_id, status", func(t *testing.T, s *story) any { return s.trigger.Get(t) }),
	{"initial status", func(t *testing.T, s *story) {
		if s.trigger.Text(t, "status") != "Submission_in_progress" {
			t.Error(s.trigger.Body)
		}
	}},
	listing("status answer", ": tx_id, tenant_id, user_id, tx_start_time, tx_end_time, response_time_secs (number), status, c_report_id, l_report_id", func(t *testing.T, s *story) any { return s.status.Get(t) }),
	{"c_report_id", func(t *testing.T, s *story) {
		s.acme.Do("GET /data/v1/acme-us-c0001/"+s.status.Text(t, "c_report_id"), "").Want(t, http.StatusOK)
	}},
	{"l_report_id", func(t *testing.T, s *story) {
		if !reportID.MatchString(s.status.Text(t, "l_report_id")) || s.status.Text(t, "l_report_id") != s.sov.Text(t, "l_report_id") {
			t.Error(s.status.Body)
		}
	}},
}
