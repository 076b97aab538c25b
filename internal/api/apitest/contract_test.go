package apitest_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

func TestValidCallsPass(t *testing.T) {
	t.Parallel()
	for name, c := range validCalls() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := problemsOf(t, c); got != "" {
				t.Errorf("unexpected error: %s", got)
			}
		})
	}
}

// TestViolationsAreReported alters a valid call in one way each.
func TestViolationsAreReported(t *testing.T) {
	t.Parallel()
	response := func(old, new string) func(*call) {
		return func(c *call) { c.response = replaceOnce(c.response, old, new) }
	}
	requestBody := func(text string) func(*call) { return func(c *call) { c.body = text } }
	status := func(n int) func(*call) { return func(c *call) { c.status = n } }
	header := func(name, value string) func(*call) {
		return func(c *call) {
			c.responseHeader = maps.Clone(c.responseHeader)
			if c.responseHeader == nil {
				c.responseHeader = map[string]string{}
			}
			c.responseHeader[name] = value
		}
	}
	violations := []struct {
		name, call string
		alter      func(*call)
		want       string // part of the error message
	}{
		// Response bodies.
		{"wrong type", "in progress", response(`"response_time_secs":0`, `"response_time_secs":"0"`), "/response_time_secs"},
		{"number in v2", "company data", response(`"response_time_secs":"2.5"`, `"response_time_secs":2.5`), "/response_time_secs"},
		{"string in v1", "report", response(`"response_time_secs":2.5`, `"response_time_secs":"2.5"`), "/response_time_secs"},
		{"year_in_business as string", "report", response(`"year_in_business":12`, `"year_in_business":"12"`), "/data/year_in_business"},
		{"null for a list", "report", response(`"dba_aka":["a"]`, `"dba_aka":null`), "/data/dba_aka"},
		{"null for a string", "token", response(`"tenant_theme":"default"`, `"tenant_theme":null`), "/extra/raw_info/tenant_theme"},
		{"missing field", "upload URL", response(`"tx_id":"`+id+`",`, ``), "tx_id"},
		{"misspelled fact", "company data", response(`"vat_number":"a",`, `"vat_nr":"a",`), "vat_nr"},
		{"misspelled location option", "location data", response(`"contents_tiv":"6,216,506.00",`, `"contents":"6,216,506.00",`), "contents"},
		{"missing nullable field", "token", response(`"phone":null,`, ``), "phone"},
		{"extra field", "trigger", response(`{`, `{"user_id":"`+id+`",`), "user_id"},
		{"extra field deep inside", "report", response(`"country":"a","geoPosition"`, `"country":"a","countryISOCode":"US","geoPosition"`), "countryISOCode"},
		{"extra error field", "unknown transaction", response(`}`, `,"code":404}`), "code"},
		{"wrong message", "unknown transaction", response(`Transaction not found`, `transaction not found`), "/message"},
		{"error format of webhooks", "missing token", response(`{"message":"Unauthorized"}`, `{"status":401,"error":"Unauthorized"}`), "message"},
		{"unknown OAuth error", "token, invalid grant", response(`invalid_grant`, `invalid_token`), "/error"},
		{"unknown status value", "in progress", response(`Started`, `Running`), "/status"},
		{"report IDs before the end", "in progress", response(`"Started"`, `"Started",`+reportIDs), "_report_id"},
		{"end time before the end", "in progress", response(`"tx_end_time":""`, `"tx_end_time":"`+timestamp+`"`), "/tx_end_time"},
		{"completed without report IDs", "completed", response(`,`+reportIDs, ``), "c_report_id"},
		{"failed without end time", "failed", response(`"tx_end_time":"`+timestamp+`"`, `"tx_end_time":""`), "/tx_end_time"},
		{"trigger with later status", "trigger", response(`Submission_in_progress`, `Scheduled`), "/status"},
		{"timestamp with Z", "completed", response(timestamp, `2026-03-02T09:30:00.000000Z`), "/tx_start_time"},
		{"timestamp in milliseconds", "completed", response(timestamp, `2026-03-02T09:30:00.000+00:00`), "/tx_start_time"},
		{"indicator as a word", "company data", response(`"exclusive_flag":"Y"`, `"exclusive_flag":"Yes"`), "/data/options/exclusive_flag"},
		{"money without separators", "location data", response(`"building_value":"6,216,506.00"`, `"building_value":"6216506.00"`), "/data/0/options/building_value"},
		{"date in another format", "company data", response(`"end_date":"2026-03-02"`, `"end_date":"03/02/2026"`), "/data/options/end_date"},
		{"latitude as text", "location data", response(`"latitude":"41.8781"`, `"latitude":"41.8781 N"`), "/data/0/facts/latitude"},
		{"score as a number", "report", response(`"website":"97.11"`, `"website":97.11`), "/scores/website"},
		{"score over 100", "report", response(`"website":"97.11"`, `"website":"100.01"`), "/scores/website"},
		{"score of an unknown field", "company data", response(`"broker_name":"97.11"`, `"brokerName":"97.11"`), "brokerName"},
		{"score of another shape's field", "location data", response(`"flood_score":"97.11"`, `"broker_name":"97.11"`), "broker_name"},
		{"report id in lower case", "completed", response(`CUS1187A2AAE214E4540`, `cus1187a2aae214e4540`), "/c_report_id"},
		{"nested field missing", "auto data", response(`"vin":"a",`, ``), "vin"},
		{"nested field of another type", "auto data", response(`"cost_new":"6,216,506.00"`, `"cost_new":41000`), "cost_new"},
		{"limit by name is not an amount", "auto data", response(`"Collision":"1,000.00"`, `"Collision":"1000"`), "Collision"},
		{"field of another content", "auto data", response(`"vehicles":`, `"claim_history":[],"vehicles":`), "claim_history"},
		{"broken JSON", "location data", response(`"data":[`, `"data":[}`), "not JSON"},
		{"duplicate key", "live", response(`}`, `,"status":"ok"}`), "duplicate"},
		{"two values", "live", response(`}`, `}{}`), "data after the value"},
		{"empty body", "live", response(`{"status":"ok","version":"devel"}`, ``), "not JSON"},

		// Status and headers.
		{"undocumented status", "unknown transaction", status(410), "status 410 is not documented"},
		{"undocumented 2xx status", "upload URL", status(201), "status 201 is not documented"},
		{"content type", "live", header("Content-Type", "text/plain"), "text/plain"},
		{"charset", "live", header("Content-Type", "application/json; charset=latin1"), "latin1"},
		{"missing request ID", "live", header("X-Request-Id", ""), "X-Request-Id: missing"},
		{"missing request ID on an unknown route", "unknown route", header("X-Request-Id", ""), "X-Request-Id is missing"},
		{"missing hint", "unknown transaction", header("X-Understudy-Hint", ""), "without X-Understudy-Hint"},
		{"missing hint on an unknown route", "unknown route", header("X-Understudy-Hint", ""), "without X-Understudy-Hint"},
		{"hint of two lines", "unknown transaction", header("X-Understudy-Hint", "wrong\ttext"), "X-Understudy-Hint"},
		{"hint in a success", "live", header("X-Understudy-Hint", "the call is right"), "not 4xx"},
		{"missing challenge", "missing token", header("WWW-Authenticate", ""), "WWW-Authenticate: missing"},
		{"wrong challenge", "missing token", header("WWW-Authenticate", "Basic"), "WWW-Authenticate"},
		{"missing Retry-After", "rate limited", header("Retry-After", ""), "Retry-After: missing"},
		{"Retry-After in words", "database unavailable", header("Retry-After", "soon"), "Retry-After"},
		{"missing Cache-Control", "token", header("Cache-Control", ""), "Cache-Control: missing"},
		{"missing Allow", "token, method", header("Allow", ""), "Allow: missing"},

		// Routes.
		{"404 for an unknown route", "unknown route", status(404), "no such route is documented"},
		{"wrong text for an unknown route", "unknown route", response(`Missing`, `No`), "no such route is documented"},
		{"200 for an unknown route", "unknown route", status(200), "no such route is documented"},
		{"200 for an unknown method", "unknown method", status(200), "no such route is documented"},
		{"403 where 405 is documented", "token, method", status(403), "405"},

		// Requests that were accepted.
		{"accepted without API key", "in progress", func(c *call) { c.header = map[string]string{"Authorization": "Bearer t"} }, "apiKey"},
		{"accepted without token", "in progress", func(c *call) { c.header = map[string]string{"X-Api-Key": "k"} }, "bearer"},
		{"accepted Basic instead of Bearer", "in progress", func(c *call) { c.header = map[string]string{"Authorization": "Basic t", "X-Api-Key": "k"} }, "bearer"},
		{"accepted without body", "upload URL", requestBody(``), "no body"},
		{"accepted malformed JSON", "upload URL", requestBody(`{"filename":`), "not JSON"},
		{"accepted blank filename", "upload URL", requestBody(`{"filename":" "}`), "/filename"},
		{"accepted without address", "company submit", requestBody(`{"company_name":"a"}`), "address"},
		{"accepted unknown idType", "company data", func(c *call) { c.path = replaceOnce(c.path, "transaction", "batch") }, "idType"},
		{"accepted unknown grant", "token", func(c *call) { c.path = replaceOnce(c.path, "client_credentials", "password") }, "grant_type"},
		{"accepted unknown grant in the form", "token by form", requestBody("grant_type=password"), "/grant_type"},
		{"accepted upload without data", "upload", func(c *call) { c.path = "/file-transfer/upload-file" }, "data"},
		{"accepted two files", "upload", func(c *call) {
			var kind string
			c.body, kind = filePart(2)
			c.header = map[string]string{"Content-Type": kind}
		}, "/file"},
	}
	for _, violation := range violations {
		t.Run(violation.name, func(t *testing.T) {
			t.Parallel()
			c, ok := validCalls()[violation.call]
			if !ok {
				t.Fatalf("there is no valid call %q", violation.call)
			}
			violation.alter(&c)
			got := problemsOf(t, c)
			if got == "" {
				t.Fatal("the violation was not reported")
			}
			path, _, _ := strings.Cut(c.path, "?")
			for _, want := range []string{c.method, path, fmt.Sprint(c.status), c.response[:min(len(c.response), 1000)], violation.want} {
				if !strings.Contains(got, want) {
					t.Errorf("error does not contain %q:\n%s", want, got)
				}
			}
		})
	}
}
