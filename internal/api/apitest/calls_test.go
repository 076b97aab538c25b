package apitest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"strings"

	"understudy.example/internal/field"
)

// call is a request with the answer that the canned server gives to it.
type call struct {
	method, path string
	header       map[string]string
	sent         string
	status       int
	answerHeader map[string]string
	answer       string
}

const (
	id   = "0198f3a2-6c1e-7d44-9b8a-3f2c5d6e7a81"
	when = "2026-03-02T09:30:00.000000+00:00"
	head = `"tx_id":"` + id + `","tenant_id":"acme","user_id":"` + id + `","tx_start_time":"` + when + `",`
	both = `"c_report_id":"CUS1187A2AAE214E4540","l_report_id":"LUS1187A2AAE214E4540"`
	seed = `"seed_input":{"company_name":"Lantern Quay Bakery LLC","address":"12 Example Street"},`
)

var (
	keyed   = map[string]string{"Authorization": "Bearer t", "X-Api-Key": "k", "Content-Type": "application/json"}
	oauth   = map[string]string{"Cache-Control": "no-store"}
	retried = map[string]string{"Retry-After": "1"}
)

// good holds calls that keep the contract, by name.
func good() map[string]call {
	form, formType := filePart(1)
	status := "/universal/v2/universal-submit/status/" + id
	data := "/data/v2/acme-us-c0001/" + id
	return map[string]call{
		"token":              {"POST", "/auth/token?grant_type=client_credentials", map[string]string{"Authorization": "Basic YTpi"}, "", 200, oauth, token()},
		"token by form":      {"POST", "/auth/token", map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, "grant_type=client_credentials&client_id=a&client_secret=b&api_key=k", 200, oauth, token()},
		"token refused":      {"POST", "/auth/token", nil, "", 401, map[string]string{"Cache-Control": "no-store", "WWW-Authenticate": "Basic"}, `{"error":"invalid_client","error_description":"Client authentication failed"}`},
		"token, bad grant":   {"POST", "/auth/token", nil, "", 400, oauth, `{"error":"invalid_grant","error_description":"No"}`},
		"token, method":      {"GET", "/auth/token", nil, "", 405, map[string]string{"Cache-Control": "no-store", "Allow": "POST"}, `{"error":"invalid_request","error_description":"No"}`},
		"upload URL":         {"POST", "/universal/v2/universal-submit/file-upload-url", keyed, `{"filename":"a.eml"}`, 200, nil, `{"tx_id":"` + id + `","upload_url":"http://127.0.0.1:8080/file-transfer/upload-file?data=0123456789abcdefghijklmn"}`},
		"no filename":        {"POST", "/universal/v2/universal-submit/file-upload-url", keyed, `{}`, 400, nil, `{"message":"filename is required"}`},
		"upload":             {"PUT", "/file-transfer/upload-file?data=0123456789abcdefghijklmn", map[string]string{"Content-Type": formType}, form, 200, nil, `{"data":"s3://uploads/acme/` + id + `/a.eml"}`},
		"upload, not form":   {"PUT", "/file-transfer/upload-file?data=0123456789abcdefghijklmn", nil, "x", 415, nil, `{"message":"Unsupported Media Type"}`},
		"trigger":            {"POST", "/universal/v2/universal-submit/file/" + id, keyed, "", 200, nil, `{"tx_id":"` + id + `","tx_start_time":"` + when + `","tx_end_time":"` + when + `","response_time_secs":0.25,"tenant_id":"acme","status":"Submission_in_progress"}`},
		"no upload":          {"POST", "/universal/v2/universal-submit/file/" + id, keyed, "", 409, nil, `{"message":"File has not been uploaded"}`},
		"under way":          {"GET", status, keyed, "", 200, nil, `{` + head + `"tx_end_time":"","response_time_secs":0,"status":"Started"}`},
		"failed":             {"GET", status, keyed, "", 200, nil, `{` + head + `"tx_end_time":"` + when + `","response_time_secs":3.5,"status":"Failed"}`},
		"completed":          {"GET", status, keyed, "", 200, nil, `{` + head + `"tx_end_time":"` + when + `","response_time_secs":3.5,"status":"Completed",` + both + `}`},
		"no token":           {"GET", status, nil, "", 401, map[string]string{"WWW-Authenticate": `Bearer realm="sandbox"`}, `{"message":"Unauthorized"}`},
		"bad token":          {"GET", status, nil, "", 401, map[string]string{"WWW-Authenticate": `Bearer realm="sandbox", error="invalid_token"`}, `{"message":"Unauthorized"}`},
		"no permission":      {"GET", status, nil, "", 403, nil, `{"message":"User is not authorized to access this resource"}`},
		"unknown":            {"GET", status, keyed, "", 404, nil, `{"message":"Transaction not found"}`},
		"too many":           {"GET", status, keyed, "", 429, retried, `{"message":"Too Many Requests"}`},
		"our fault":          {"GET", status, keyed, "", 500, nil, `{"message":"Internal server error"}`},
		"database away":      {"GET", status, keyed, "", 503, retried, `{"message":"Service Unavailable"}`},
		"company data":       {"GET", data + "?idType=transaction", keyed, "", 200, nil, companyData()},
		"location data":      {"GET", data + "?idType=sov", keyed, "", 200, nil, locationData()},
		"not complete":       {"GET", data + "?idType=sov", keyed, "", 409, nil, `{"message":"Transaction is not complete","status":"Started"}`},
		"report":             {"GET", "/data/v1/acme-us-c0001/CUS1187A2AAE214E4540", keyed, "", 200, nil, reportData()},
		"company submit":     {"POST", "/company/v1/company_submit", keyed, `{"company_name":"Lantern Quay Bakery LLC","address":"12 Example Street"}`, 200, nil, `{` + strings.Replace(head, id, "acme-"+id, 1) + `"tx_end_time":"` + when + `","response_time_secs":0.1,` + seed + both + `}`},
		"live":               {"GET", "/livez", nil, "", 200, nil, `{"status":"ok"}`},
		"document":           {"GET", "/openapi.yaml", nil, "", 200, map[string]string{"Content-Type": "application/yaml"}, "openapi: 3.1.0\n"},
		"unknown route":      {"GET", "/nowhere", nil, "", 403, nil, `{"message":"Missing Authentication Token"}`},
		"unknown method":     {"DELETE", status, nil, "", 403, nil, `{"message":"Missing Authentication Token"}`},
		"unknown, no body":   {"HEAD", "/nowhere", nil, "", 403, nil, ""},
		"unknown hook route": {"GET", "/hooks/a/b/c", nil, "", 404, nil, `{"status":404,"error":"Not Found"}`},
	}
}

func replaceOnce(text, old, new string) string {
	if !strings.Contains(text, old) {
		panic(fmt.Sprintf("no %q in %s", old, text))
	}
	return strings.Replace(text, old, new, 1)
}

// filePart is a multipart form with n parts named file, and its content type.
func filePart(n int) (body, contentType string) {
	var text strings.Builder
	form := multipart.NewWriter(&text)
	form.SetBoundary("boundary") // it is a good one
	for range n {
		part, _ := form.CreateFormFile("file", "a.eml")
		io.WriteString(part, "From: a@example.com\r\n\r\n")
	}
	form.Close()
	return text.String(), form.FormDataContentType()
}

// The bodies below are made from the field tables, so that a field which the
// document lacks, or has too many, fails TestGoodCallsPass.

func token() string {
	return `{"access_token":"a.b.c","token_type":"bearer","expires_in":43200,"refresh_token":"r","scope":"","uid":"` + id + `",
		"info":{"name":"Acme Client","email":null,"first_name":"Acme","last_name":"Client"},
		"extra":{"raw_info":{"user_id":"` + id + `","tenant_id":"` + id + `","tenant_name":"acme","tenant_subdomain":"acme",
		"tenant_theme":"default","tenant_type":null,"primary_user_group_id":"` + id + `","user_group_ids":["` + id + `"],
		"name":"Acme Client","email":null,"first_name":"Acme","last_name":"Client","phone":null,
		"permissions":["::data/v1:get","::universal/v3/universal-submit:post","::company/v1/quick_submit:post"],"auth_uid":null,
		"created_at":"` + when + `","tenant_created_at":"` + when + `","completed_steps":[],"accepted_agreements":[],
		"plan_sku":null,"sub_status":null}}}`
}

func companyData() string {
	return `{` + head + `"tx_end_time":"` + when + `","response_time_secs":"2.5","data_package_id":"acme-us-c0001",` + both +
		`,"doc_reference_id":"` + id + `",` + seed + `"cleansed_input":` + cleansed(`"countryISOCode":"US",`, `,"bureauNumber":""`) +
		`,"data":{"facts":` + record(field.Facts) + `,"options":` + record(field.Options) + `},"scores":` +
		scores(field.Facts, field.Options) + `}`
}

func locationData() string {
	return `{` + head + `"tx_end_time":"` + when + `","response_time_secs":"2.5","data_package_id":"acme-us-l0001",` + both +
		`,"doc_reference_id":"` + id + `  ","data":[{"facts":` + record(field.LocationFacts) + `,"options":` +
		record(field.LocationOptions) + `,"scores":` + scores(field.LocationFacts, field.LocationOptions) + `}]}`
}

func reportData() string {
	data := replaceOnce(record(field.Report), `"company_id":"a"`, `"company_id":"CUS1187A2AAE214E4540"`)
	return `{` + head + `"tx_end_time":"` + when + `","response_time_secs":2.5,` + seed + `"data_package_id":"acme-us-c0001",` + both +
		`,"cleansed_input":` + cleansed(``, ``) + `,"data":` + data + `,"scores":` + scores(field.Report) + `}`
}

func cleansed(isoCode, bureauNumber string) string {
	return `{"companyName":"a","website":"","phoneNumber":"","confidence_score":0.9,"address":{"streetAddr":"a","city":"a","state":"a",
		"zipOrPostalCode":"a","country":"a",` + isoCode + `"geoPosition":{"latitude":43.66,"longitude":-70.25}},"seedInput":{"companyName":"a",
		"address":{"streetAddr":"a","city":"a","state":"a","zipOrPostalCode":"a","country":""}}` + bureauNumber + `}`
}

// record is an object with a value for each field.
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
	}
	values := map[string]any{}
	for _, f := range fields {
		values[f.Name] = samples[f.Kind]
	}
	return encoded(values)
}

func scores(tables ...[]field.Field) string {
	values := map[string]string{}
	for _, fields := range tables {
		for _, f := range fields {
			values[f.Name] = "97.11"
		}
	}
	return encoded(values)
}

func encoded(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}
