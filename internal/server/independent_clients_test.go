package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/data"
	"understudy.example/internal/server/servertest"
)

// deployment is what a client knows of the service. The clients in this package
// are written against the documents of the real service and know nothing of this
// server.
type deployment struct {
	http                           *http.Client
	authURL, baseURL               string
	clientID, clientSecret, apiKey string
}

// call sends a request and decodes the body of a 2xx response into result, unless
// that is nil.
func (d deployment) call(method, url string, header map[string]string, body []byte, result any) error {
	request, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for name, value := range header {
		request.Header.Set(name, value)
	}
	response, err := d.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: %d %s", method, url, response.StatusCode, text)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(text, result)
}

// submit gets an upload URL of the version, uploads the file, and triggers
// processing. It returns the tx_id and the body of the trigger.
func (d deployment) submit(version string, header map[string]string, filename string, content []byte) (txID string, triggered map[string]any, err error) {
	base := d.baseURL + "/universal/" + version + "/universal-submit"
	var announced struct {
		TxID      string `json:"tx_id"`
		UploadURL string `json:"upload_url"`
	}
	body, _ := json.Marshal(map[string]string{"filename": filename})
	if err := d.call("POST", base+"/file-upload-url", header, body, &announced); err != nil {
		return "", nil, err
	}
	var form bytes.Buffer
	parts := multipart.NewWriter(&form)
	file, _ := parts.CreateFormFile("file", filename) // as application/octet-stream
	file.Write(content)
	parts.Close()
	if err := d.call("PUT", announced.UploadURL, map[string]string{"Content-Type": parts.FormDataContentType()}, form.Bytes(), nil); err != nil {
		return "", nil, err
	}
	return announced.TxID, triggered, d.call("POST", base+"/file/"+announced.TxID, header, nil, &triggered)
}

// TestIndependentClients runs a client of version 2 and one of versions 4 and 5
// against the server, at two paces.
func TestIndependentClients(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	content := servertest.Example(t, "submission.eml")
	for _, pacing := range []string{`{"mode":"polls"}`, `{"mode":"polls","per_state":3}`} {
		tenant := s.NewTenant(`{"pacing":` + pacing + `}`)
		tenant.Control("POST /packages", `{"id":"more-c0002","kind":"company","fields":["company_name","annual_revenue"]}`).Want(t, http.StatusCreated)
		tenant.Control("POST /packages", `{"id":"more-l0002","kind":"location"}`).Want(t, http.StatusCreated)
		d := deployment{s.Client, s.URL, s.URL, tenant.Credentials.ClientID, tenant.Credentials.ClientSecret, tenant.Credentials.APIKey}

		company, locations, err := clientV2(d, tenant.CompanyPackage, "submission.eml", content)
		if err != nil {
			t.Fatal(err)
		}
		name, _ := company["data"].(map[string]any)["facts"].(map[string]any)["company_name"].(string)
		if name == "" || len(locations["data"].([]any)) == 0 {
			t.Errorf("company %q, locations %v", name, locations["data"])
		}

		for filename, final := range map[string]string{"submission.eml": "COMPLETED", "submission.review.eml": "Review_required"} {
			inquiries, states, err := clientV4(d, []string{tenant.CompanyPackage, tenant.LocationPackage, "more-c0002", "more-l0002"}, filename, content)
			if err != nil {
				t.Fatal(err)
			}
			if seen := strings.Join(states, " "); !strings.HasPrefix(seen, "Scheduled ") || !strings.Contains(seen, " Started ") || states[len(states)-1] != final {
				t.Errorf("tx_status %s, want Scheduled, Started, %s", seen, final)
			}
			for id, inquiry := range inquiries {
				elements := inquiry["data"].([]any)
				if inquiry["data_package_id"] != id || len(elements) == 0 {
					t.Fatalf("%s: %v", id, inquiry)
				}
				facts := elements[0].(map[string]any)["facts"].(map[string]any)
				if data.PackageKind(id) == data.CompanyKind && facts["company_name"] != name {
					t.Errorf("%s: company_name %v, want %s", id, facts["company_name"], name)
				}
				if id == "more-c0002" && len(facts) != 2 {
					t.Errorf("%s: facts %v, want the two fields of the package", id, facts)
				}
				if want := len(locations["data"].([]any)); data.PackageKind(id) == data.LocationKind && len(elements) != want {
					t.Errorf("%s: %d locations, want %d", id, len(elements), want)
				}
			}
		}
	}
}
