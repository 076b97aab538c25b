package apitest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"strings"

	"understudy.example/internal/field"
)

// call is a request and the response that the test server sends.
type call struct {
	method, path   string
	header         map[string]string
	body           string
	status         int
	responseHeader map[string]string
	response       string
}

const (
	id           = "0198f3a2-6c1e-7d44-9b8a-3f2c5d6e7a81"
	timestamp    = "2026-03-02T09:30:00.000000+00:00"
	commonFields = `"tx_id":"` + id + `","tenant_id":"acme","user_id":"` + id + `","tx_start_time":"` + timestamp + `",`
	reportIDs    = `"c_report_id":"CUS1187A2AAE214E4540","l_report_id":"LUS1187A2AAE214E4540"`
	seedInput    = `"seed_input":{"company_name":"Lantern Quay Bakery LLC","address":"12 Example Street"},`
)

var (
	authorized = map[string]string{"Authorization": "Bearer t", "X-Api-Key": "k", "Content-Type": "application/json"}
	noStore    = map[string]string{"Cache-Control": "no-store"}
	retryAfter = map[string]string{"Retry-After": "1"}
)

// validCalls returns calls that conform to the contract, by name.
func validCalls() map[string]call {
	form, formType := filePart(1)
	status := "/universal/v2/universal-submit/status/" + id
	data := "/data/v2/acme-us-c0001/" + id
	return map[string]call{
		"token":                  {"POST", "/auth/token?grant_type=client_credentials", map[string]string{"Authorization": "Basic YTpi"}, "", 200, noStore, token()},
		"token by form":          {"POST", "/auth/token", map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, "grant_type=client_credentials&client_id=a&client_secret=b&api_key=k", 200, noStore, token()},
		"token, unauthorized":    {"POST", "/auth/token", nil, "", 401, map[string]string{"Cache-Control": "no-store", "WWW-Authenticate": "Basic"}, `{"error":"invalid_client","error_description":"Client authentication failed"}`},
		"token, invalid grant":   {"POST", "/auth/token", nil, "", 400, noStore, `{"error":"invalid_grant","error_description":"No"}`},
		"token, method":          {"GET", "/auth/token", nil, "", 405, map[string]string{"Cache-Control": "no-store", "Allow": "POST"}, `{"error":"invalid_request","error_description":"No"}`},
		"upload URL":             {"POST", "/universal/v2/universal-submit/file-upload-url", authorized, `{"filename":"a.eml"}`, 200, nil, `{"tx_id":"` + id + `","upload_url":"http://127.0.0.1:8080/file-transfer/upload-file?data=0123456789abcdefghijklmn"}`},
		"missing filename":       {"POST", "/universal/v2/universal-submit/file-upload-url", authorized, `{}`, 400, nil, `{"message":"filename is required"}`},
		"upload":                 {"PUT", "/file-transfer/upload-file?data=0123456789abcdefghijklmn", map[string]string{"Content-Type": formType}, form, 200, nil, `{"data":"s3://uploads/acme/` + id + `/a.eml"}`},
		"upload, not a form":     {"PUT", "/file-transfer/upload-file?data=0123456789abcdefghijklmn", nil, "x", 415, nil, `{"message":"Unsupported Media Type"}`},
		"trigger":                {"POST", "/universal/v2/universal-submit/file/" + id, authorized, "", 200, nil, `{"tx_id":"` + id + `","tx_start_time":"` + timestamp + `","tx_end_time":"` + timestamp + `","response_time_secs":0.25,"tenant_id":"acme","status":"Submission_in_progress"}`},
		"trigger before upload":  {"POST", "/universal/v2/universal-submit/file/" + id, authorized, "", 409, nil, `{"message":"File has not been uploaded"}`},
		"in progress":            {"GET", status, authorized, "", 200, nil, `{` + commonFields + `"tx_end_time":"","response_time_secs":0,"status":"Started"}`},
		"failed":                 {"GET", status, authorized, "", 200, nil, `{` + commonFields + `"tx_end_time":"` + timestamp + `","response_time_secs":3.5,"status":"Failed"}`},
		"completed":              {"GET", status, authorized, "", 200, nil, `{` + commonFields + `"tx_end_time":"` + timestamp + `","response_time_secs":3.5,"status":"Completed",` + reportIDs + `}`},
		"missing token":          {"GET", status, nil, "", 401, map[string]string{"WWW-Authenticate": `Bearer realm="sandbox"`}, `{"message":"Unauthorized"}`},
		"invalid token":          {"GET", status, nil, "", 401, map[string]string{"WWW-Authenticate": `Bearer realm="sandbox", error="invalid_token"`}, `{"message":"Unauthorized"}`},
		"missing permission":     {"GET", status, nil, "", 403, nil, `{"message":"User is not authorized to access this resource"}`},
		"unknown transaction":    {"GET", status, authorized, "", 404, nil, `{"message":"Transaction not found"}`},
		"rate limited":           {"GET", status, authorized, "", 429, retryAfter, `{"message":"Too Many Requests"}`},
		"internal error":         {"GET", status, authorized, "", 500, nil, `{"message":"Internal server error"}`},
		"database unavailable":   {"GET", status, authorized, "", 503, retryAfter, `{"message":"Service Unavailable"}`},
		"company data":           {"GET", data + "?idType=transaction", authorized, "", 200, nil, companyData()},
		"location data":          {"GET", data + "?idType=sov", authorized, "", 200, nil, locationData()},
		"auto data":              {"GET", "/data/v5/acme-us-admitted-auto-c0001/" + id, authorized, "", 200, nil, autoData()},
		"data before completion": {"GET", data + "?idType=sov", authorized, "", 409, nil, `{"message":"Transaction is not complete","status":"Started"}`},
		"report":                 {"GET", "/data/v1/acme-us-c0001/CUS1187A2AAE214E4540", authorized, "", 200, nil, reportData()},
		"company submit":         {"POST", "/company/v1/company_submit", authorized, `{"company_name":"Lantern Quay Bakery LLC","address":"12 Example Street"}`, 200, nil, `{` + strings.Replace(commonFields, id, "acme-"+id, 1) + `"tx_end_time":"` + timestamp + `","response_time_secs":0.1,` + seedInput + reportIDs + `}`},
		"live":                   {"GET", "/livez", nil, "", 200, nil, `{"status":"ok","version":"devel"}`},
		"document":               {"GET", "/openapi.yaml", nil, "", 200, map[string]string{"Content-Type": "application/yaml"}, "openapi: 3.1.0\n"},
		"unknown route":          {"GET", "/nowhere", nil, "", 403, nil, `{"message":"Missing Authentication Token"}`},
		"unknown method":         {"DELETE", status, nil, "", 403, nil, `{"message":"Missing Authentication Token"}`},
		"unknown route, HEAD":    {"HEAD", "/nowhere", nil, "", 403, nil, ""},
		"unknown webhook route":  {"GET", "/hooks/a/b/c", nil, "", 404, nil, `{"status":404,"error":"Not Found"}`},
	}
}

func replaceOnce(text, old, new string) string {
	if !strings.Contains(text, old) {
		panic(fmt.Sprintf("no %q in %s", old, text))
	}
	return strings.Replace(text, old, new, 1)
}

// filePart returns a multipart form with n parts named file, and its content type.
func filePart(n int) (body, contentType string) {
	var text strings.Builder
	form := multipart.NewWriter(&text)
	form.SetBoundary("boundary") // a constant, so that the body is reproducible
	for range n {
		part, _ := form.CreateFormFile("file", "a.eml")
		io.WriteString(part, "From: a@example.com\r\n\r\n")
	}
	form.Close()
	return text.String(), form.FormDataContentType()
}

// The bodies below are generated from the field tables, so TestValidCallsPass
// fails if the document lacks one of their fields or has an additional one.

func token() string {
	return `{"access_token":"a.b.c","token_type":"bearer","expires_in":43200,"refresh_token":"r","scope":"","uid":"` + id + `",
		"info":{"name":"Acme Client","email":null,"first_name":"Acme","last_name":"Client"},
		"extra":{"raw_info":{"user_id":"` + id + `","tenant_id":"` + id + `","tenant_name":"acme","tenant_subdomain":"acme",
		"tenant_theme":"default","tenant_type":null,"primary_user_group_id":"` + id + `","user_group_ids":["` + id + `"],
		"name":"Acme Client","email":null,"first_name":"Acme","last_name":"Client","phone":null,
		"permissions":["::data/v1:get","::universal/v3/universal-submit:post","::company/v1/quick_submit:post"],"auth_uid":null,
		"created_at":"` + timestamp + `","tenant_created_at":"` + timestamp + `","completed_steps":[],"accepted_agreements":[],
		"plan_sku":null,"sub_status":null}}}`
}

func companyData() string {
	return `{` + commonFields + `"tx_end_time":"` + timestamp + `","response_time_secs":"2.5","data_package_id":"acme-us-c0001",` + reportIDs +
		`,"doc_reference_id":"` + id + `",` + seedInput + `"cleansed_input":` + cleansed(`"countryISOCode":"US",`, `,"bureauNumber":""`) +
		`,"data":{"facts":` + record(field.Facts) + `,"options":` + record(field.Options) + `},"scores":` +
		scores(field.Facts, field.Options) + `}`
}

// autoData is data of version 5.
func autoData() string {
	content, _ := field.FindContent("auto")
	return `{` + commonFields + `"tx_end_time":"` + timestamp + `","response_time_secs":"2.5","data_package_id":"acme-us-admitted-auto-c0001",` + reportIDs +
		`,"doc_reference_id":"` + id + `",` + seedInput + `"cleansed_input":` + cleansed(`"countryISOCode":"US",`, `,"bureauNumber":""`) +
		`,"data":[{"facts":` + record(content.Facts) + `,"options":{},"scores":` + scores(content.Facts) + `}],"additional_data":{}}`
}

func locationData() string {
	return `{` + commonFields + `"tx_end_time":"` + timestamp + `","response_time_secs":"2.5","data_package_id":"acme-us-l0001",` + reportIDs +
		`,"doc_reference_id":"` + id + `  ","data":[{"facts":` + record(field.LocationFacts) + `,"options":` +
		record(field.LocationOptions) + `,"scores":` + scores(field.LocationFacts, field.LocationOptions) + `}]}`
}

func reportData() string {
	data := replaceOnce(record(field.Report), `"company_id":"a"`, `"company_id":"CUS1187A2AAE214E4540"`)
	return `{` + commonFields + `"tx_end_time":"` + timestamp + `","response_time_secs":2.5,` + seedInput + `"data_package_id":"acme-us-c0001",` + reportIDs +
		`,"cleansed_input":` + cleansed(``, ``) + `,"data":` + data + `,"scores":` + scores(field.Report) + `}`
}

func cleansed(isoCode, bureauNumber string) string {
	return `{"companyName":"a","website":"","phoneNumber":"","confidence_score":0.9,"address":{"streetAddr":"a","city":"a","state":"a",
		"zipOrPostalCode":"a","country":"a",` + isoCode + `"geoPosition":{"latitude":43.66,"longitude":-70.25}},"seedInput":{"companyName":"a",
		"address":{"streetAddr":"a","city":"a","state":"a","zipOrPostalCode":"a","country":""}}` + bureauNumber + `}`
}

// record returns a JSON object with a value for each field.
func record(fields []field.Field) string {
	samples := map[field.Kind]any{
		field.Text:      "a",
		field.Date:      "2026-03-02",
		field.Money:     "6,216,506.00",
		field.Indicator: "Y",
		field.Number:    "41.8781",
		field.Integer:   12,
		field.Texts:     []string{"a"},
		field.Codes:     []field.Code{{Code: "311811", Desc: "Retail Bakeries"}},
		field.Amounts:   map[string]string{"Collision": "1,000.00"},
	}
	values := map[string]any{}
	for _, f := range fields {
		values[f.Name] = samples[f.Kind]
		switch f.Kind {
		case field.Object:
			values[f.Name] = json.RawMessage(record(f.Fields))
		case field.Objects:
			values[f.Name] = []json.RawMessage{json.RawMessage(record(f.Fields))}
		}
	}
	return mustMarshal(values)
}

func scores(tables ...[]field.Field) string {
	values := map[string]string{}
	for _, fields := range tables {
		for _, f := range fields {
			values[f.Name] = "97.11"
		}
	}
	return mustMarshal(values)
}

func mustMarshal(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}
