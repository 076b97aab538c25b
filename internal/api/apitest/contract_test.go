package apitest_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

func TestGoodCallsPass(t *testing.T) {
	t.Parallel()
	for name, c := range good() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := reported(t, c); got != "" {
				t.Error(got)
			}
		})
	}
}

// TestFaultsAreReported seeds one fault into a good call each.
func TestFaultsAreReported(t *testing.T) {
	t.Parallel()
	answer := func(old, new string) func(*call) {
		return func(c *call) { c.answer = replaceOnce(c.answer, old, new) }
	}
	sent := func(text string) func(*call) { return func(c *call) { c.sent = text } }
	status := func(n int) func(*call) { return func(c *call) { c.status = n } }
	header := func(name, value string) func(*call) {
		return func(c *call) {
			c.answerHeader = maps.Clone(c.answerHeader)
			if c.answerHeader == nil {
				c.answerHeader = map[string]string{}
			}
			c.answerHeader[name] = value
		}
	}
	faults := []struct {
		name, call string
		seed       func(*call)
		want       string // in the report
	}{
		// Bodies.
		{"wrong type", "under way", answer(`"response_time_secs":0`, `"response_time_secs":"0"`), "/response_time_secs"},
		{"number in v2", "company data", answer(`"response_time_secs":"2.5"`, `"response_time_secs":2.5`), "/response_time_secs"},
		{"string in v1", "report", answer(`"response_time_secs":2.5`, `"response_time_secs":"2.5"`), "/response_time_secs"},
		{"year_in_business as string", "report", answer(`"year_in_business":12`, `"year_in_business":"12"`), "/data/year_in_business"},
		{"null for a list", "report", answer(`"dba_aka":["a"]`, `"dba_aka":null`), "/data/dba_aka"},
		{"null for a string", "token", answer(`"tenant_theme":"default"`, `"tenant_theme":null`), "/extra/raw_info/tenant_theme"},
		{"missing field", "upload URL", answer(`"tx_id":"`+id+`",`, ``), "tx_id"},
		{"misspelt fact", "company data", answer(`"vat_number":"a",`, `"vat_nr":"a",`), "vat_nr"},
		{"misspelt location option", "location data", answer(`"contents_tiv":"6,216,506.00",`, `"contents":"6,216,506.00",`), "contents"},
		{"missing nullable field", "token", answer(`"phone":null,`, ``), "phone"},
		{"extra field", "trigger", answer(`{`, `{"user_id":"`+id+`",`), "user_id"},
		{"extra field deep inside", "report", answer(`"country":"a","geoPosition"`, `"country":"a","countryISOCode":"US","geoPosition"`), "countryISOCode"},
		{"extra error field", "unknown", answer(`}`, `,"code":404}`), "code"},
		{"wrong message", "unknown", answer(`Transaction not found`, `transaction not found`), "/message"},
		{"another family's error", "no token", answer(`{"message":"Unauthorized"}`, `{"status":401,"error":"Unauthorized"}`), "message"},
		{"wrong grant error", "token, bad grant", answer(`invalid_grant`, `invalid_token`), "/error"},
		{"unknown status value", "under way", answer(`Started`, `Running`), "/status"},
		{"reports before the end", "under way", answer(`"Started"`, `"Started",`+both), "_report_id"},
		{"end before the end", "under way", answer(`"tx_end_time":""`, `"tx_end_time":"`+when+`"`), "/tx_end_time"},
		{"completed without reports", "completed", answer(`,`+both, ``), "c_report_id"},
		{"failed without end", "failed", answer(`"tx_end_time":"`+when+`"`, `"tx_end_time":""`), "/tx_end_time"},
		{"trigger with later status", "trigger", answer(`Submission_in_progress`, `Scheduled`), "/status"},
		{"timestamp with Z", "completed", answer(when, `2026-03-02T09:30:00.000000Z`), "/tx_start_time"},
		{"timestamp in milliseconds", "completed", answer(when, `2026-03-02T09:30:00.000+00:00`), "/tx_start_time"},
		{"indicator as word", "company data", answer(`"exclusive_flag":"Y"`, `"exclusive_flag":"Yes"`), "/data/options/exclusive_flag"},
		{"money without separators", "location data", answer(`"building_value":"6,216,506.00"`, `"building_value":"6216506.00"`), "/data/0/options/building_value"},
		{"date in another form", "company data", answer(`"end_date":"2026-03-02"`, `"end_date":"03/02/2026"`), "/data/options/end_date"},
		{"latitude as word", "location data", answer(`"latitude":"41.8781"`, `"latitude":"41.8781 N"`), "/data/0/facts/latitude"},
		{"score as number", "report", answer(`"website":"97.11"`, `"website":97.11`), "/scores/website"},
		{"score over 100", "report", answer(`"website":"97.11"`, `"website":"100.01"`), "/scores/website"},
		{"score of no field", "company data", answer(`"broker_name":"97.11"`, `"brokerName":"97.11"`), "brokerName"},
		{"score of another shape's field", "location data", answer(`"flood_score":"97.11"`, `"broker_name":"97.11"`), "broker_name"},
		{"report id in lower case", "completed", answer(`CUS1187A2AAE214E4540`, `cus1187a2aae214e4540`), "/c_report_id"},
		{"company package in locations", "location data", answer(`acme-us-l0001`, `acme-us-c0001`), "/data_package_id"},
		{"broken JSON", "location data", answer(`"data":[`, `"data":[}`), "not JSON"},
		{"key twice", "live", answer(`}`, `,"status":"ok"}`), "twice"},
		{"two values", "live", answer(`}`, `}{}`), "more after the end"},
		{"no body", "live", answer(`{"status":"ok"}`, ``), "not JSON"},

		// Heads.
		{"undocumented status", "unknown", status(410), "status 410 is not documented"},
		{"another 2xx", "upload URL", status(201), "status 201 is not documented"},
		{"content type", "live", header("Content-Type", "text/plain"), "text/plain"},
		{"charset", "live", header("Content-Type", "application/json; charset=latin1"), "latin1"},
		{"no request id", "live", header("X-Request-Id", ""), "X-Request-Id: missing"},
		{"no request id on an unknown route", "unknown route", header("X-Request-Id", ""), "X-Request-Id is missing"},
		{"no challenge", "no token", header("WWW-Authenticate", ""), "WWW-Authenticate: missing"},
		{"wrong challenge", "no token", header("WWW-Authenticate", "Basic"), "WWW-Authenticate"},
		{"no Retry-After", "too many", header("Retry-After", ""), "Retry-After: missing"},
		{"Retry-After in words", "database away", header("Retry-After", "soon"), "Retry-After"},
		{"token may be cached", "token", header("Cache-Control", ""), "Cache-Control: missing"},
		{"no Allow", "token, method", header("Allow", ""), "Allow: missing"},

		// Routes.
		{"404 for an unknown route", "unknown route", status(404), "no such route"},
		{"wrong text for an unknown route", "unknown route", answer(`Missing`, `No`), "no such route"},
		{"200 for an unknown route", "unknown route", status(200), "no such route"},
		{"200 for an unknown method", "unknown method", status(200), "no such route"},
		{"403 where 405 is documented", "token, method", status(403), "405"},

		// Requests that were accepted.
		{"accepted without API key", "under way", func(c *call) { c.header = map[string]string{"Authorization": "Bearer t"} }, "apiKey"},
		{"accepted without token", "under way", func(c *call) { c.header = map[string]string{"X-Api-Key": "k"} }, "bearer"},
		{"accepted Basic for Bearer", "under way", func(c *call) { c.header = map[string]string{"Authorization": "Basic t", "X-Api-Key": "k"} }, "bearer"},
		{"accepted without body", "upload URL", sent(``), "no body"},
		{"accepted malformed JSON", "upload URL", sent(`{"filename":`), "not JSON"},
		{"accepted blank filename", "upload URL", sent(`{"filename":" "}`), "/filename"},
		{"accepted without address", "company submit", sent(`{"company_name":"a"}`), "address"},
		{"accepted unknown idType", "company data", func(c *call) { c.path = replaceOnce(c.path, "transaction", "batch") }, "idType"},
		{"accepted unknown grant", "token", func(c *call) { c.path = replaceOnce(c.path, "client_credentials", "password") }, "grant_type"},
		{"accepted unknown grant in the form", "token by form", sent("grant_type=password"), "/grant_type"},
		{"accepted upload without data", "upload", func(c *call) { c.path = "/file-transfer/upload-file" }, "data"},
		{"accepted two files", "upload", func(c *call) {
			var kind string
			c.sent, kind = filePart(2)
			c.header = map[string]string{"Content-Type": kind}
		}, "/file"},
	}
	for _, fault := range faults {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			c, ok := good()[fault.call]
			if !ok {
				t.Fatalf("no good call %q", fault.call)
			}
			fault.seed(&c)
			got := reported(t, c)
			if got == "" {
				t.Fatal("not reported")
			}
			path, _, _ := strings.Cut(c.path, "?")
			for _, want := range []string{c.method, path, fmt.Sprint(c.status), c.answer[:min(len(c.answer), 1000)], fault.want} {
				if !strings.Contains(got, want) {
					t.Errorf("report lacks %q:\n%s", want, got)
				}
			}
		})
	}
}
