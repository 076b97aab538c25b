package server_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"testing"

	"understudy.example/internal/data"
	"understudy.example/internal/server/servertest"
)

// remote is what a client of the service is told: hosts and credentials. The
// clients below are written against the real service's documents, and know
// nothing of this server.
type remote struct {
	http                           *http.Client
	authURL, baseURL               string
	clientID, clientSecret, apiKey string
}

// exchange sends a request and decodes a good answer.
func (r remote) exchange(method, url string, header map[string]string, body []byte, into any) error {
	request, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for name, value := range header {
		request.Header.Set(name, value)
	}
	response, err := r.http.Do(request)
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
	return json.Unmarshal(text, into)
}

// clientV2 is a client written from the specification alone: Basic credentials,
// version 2, polls `status`, reads company and locations by idType.
func clientV2(r remote, companyPackage, filename string, content []byte) (company, locations map[string]any, err error) {
	var token struct {
		AccessToken string `json:"access_token"`
		TokenType   string `json:"token_type"`
	}
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte(r.clientID+":"+r.clientSecret))
	if err := r.exchange("POST", r.authURL+"/auth/token?grant_type=client_credentials", map[string]string{"Authorization": basic}, nil, &token); err != nil {
		return nil, nil, err
	}
	header := map[string]string{"Authorization": "Bearer " + token.AccessToken, "x-api-key": r.apiKey, "Content-Type": "application/json"}
	submit := r.baseURL + "/universal/v2/universal-submit"
	var place struct {
		TxID      string `json:"tx_id"`
		UploadURL string `json:"upload_url"`
	}
	named, _ := json.Marshal(map[string]string{"filename": filename})
	if err := r.exchange("POST", submit+"/file-upload-url", header, named, &place); err != nil {
		return nil, nil, err
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	file, _ := form.CreateFormFile("file", filename)
	file.Write(content)
	form.Close()
	var stored struct{ Data string }
	if err := r.exchange("PUT", place.UploadURL, map[string]string{"Content-Type": form.FormDataContentType()}, body.Bytes(), &stored); err != nil {
		return nil, nil, err
	}
	var state struct{ Status string }
	if err := r.exchange("POST", submit+"/file/"+place.TxID, header, nil, &state); err != nil {
		return nil, nil, err
	}
	for range 100 {
		switch state.Status {
		case "Submission_in_progress", "Scheduled", "Started", "Pending":
		case "Completed", "Succeeded":
			at := r.baseURL + "/data/v2/" + companyPackage + "/" + place.TxID + "?idType="
			if err := r.exchange("GET", at+"transaction", header, nil, &company); err != nil {
				return nil, nil, err
			}
			return company, locations, r.exchange("GET", at+"sov", header, nil, &locations)
		default:
			return nil, nil, fmt.Errorf("status %s", state.Status)
		}
		if err := r.exchange("GET", submit+"/status/"+place.TxID, header, nil, &state); err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, fmt.Errorf("still %s", state.Status)
}

// clientV4 is a client as they are found in public: form credentials with a
// field too many, version 4, the file as application/octet-stream, polls
// `tx_status`, reads each of its packages in version 5 without idType.
func clientV4(r remote, packages []string, filename string, content []byte, states *[]string) (answers map[string]map[string]any, err error) {
	var token struct {
		AccessToken string `json:"access_token"`
	}
	credentials := url.Values{
		"grant_type": {"client_credentials"}, "client_id": {r.clientID}, "client_secret": {r.clientSecret}, "api_key": {r.apiKey},
	}
	form := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
	if err := r.exchange("POST", r.authURL+"/auth/token", form, []byte(credentials.Encode()), &token); err != nil {
		return nil, err
	}
	header := map[string]string{"Authorization": "Bearer " + token.AccessToken, "x-api-key": r.apiKey, "x-tenantId": "unused", "Content-Type": "application/json"}
	submit := r.baseURL + "/universal/v4/universal-submit"
	var place struct {
		TxID      string `json:"tx_id"`
		UploadURL string `json:"upload_url"`
	}
	named, _ := json.Marshal(map[string]string{"filename": filename})
	if err := r.exchange("POST", submit+"/file-upload-url", header, named, &place); err != nil {
		return nil, err
	}
	var body bytes.Buffer
	parts := multipart.NewWriter(&body)
	file, _ := parts.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {multipart.FileContentDisposition("file", filename)},
		"Content-Type":        {"application/octet-stream"},
	})
	file.Write(content)
	parts.Close()
	if err := r.exchange("PUT", place.UploadURL, map[string]string{"Content-Type": parts.FormDataContentType()}, body.Bytes(), &struct{}{}); err != nil {
		return nil, err
	}
	if err := r.exchange("POST", submit+"/file/"+place.TxID, header, nil, &struct{}{}); err != nil {
		return nil, err
	}
	for range 100 {
		var state struct {
			TxStatus string `json:"tx_status"`
		}
		if err := r.exchange("GET", submit+"/status/"+place.TxID, header, nil, &state); err != nil {
			return nil, err
		}
		*states = append(*states, state.TxStatus)
		switch state.TxStatus {
		case "Scheduled", "Started":
			continue
		case "COMPLETED", "Review_required":
		default:
			return nil, fmt.Errorf("tx_status %q", state.TxStatus)
		}
		answers = map[string]map[string]any{}
		for _, id := range packages {
			var answer map[string]any
			if err := r.exchange("GET", r.baseURL+"/data/v5/"+id+"/"+place.TxID, header, nil, &servertest.Response); err != nil {
				return nil, err
			}
			answers[id] = servertest.Response
		}
		return answers, nil
	}
	return nil, fmt.Errorf("still %s", *states)
}

// TestClients: a client of version 2 and one of versions 4 and 5 run as they
// are, hosts aside, at whatever pace.
func TestClients(t *testing.T) {
	w := servertest.New(t, servertest.Background)
	for _, pace := range []string{`{"mode":"polls"}`, `{"mode":"polls","per_state":3}`} {
		x := w.NewTenant(`{"pacing":` + pace + `}`)
		x.Control("POST /packages", `{"id":"more-c0002","kind":"company","fields":["company_name","annual_revenue"]}`).Want(t, http.StatusCreated)
		x.Control("POST /packages", `{"id":"more-l0002","kind":"location"}`).Want(t, http.StatusCreated)
		r := remote{w.client, w.URL, w.URL, x.client.ClientID, x.client.ClientSecret, x.client.APIKey}
		content := servertest.Example(t, "submission.eml")

		company, locations, err := clientV2(r, x.company, "submission.eml", content)
		if err != nil {
			t.Fatal(err)
		}
		name, _ := company["data"].(map[string]any)["facts"].(map[string]any)["company_name"].(string)
		if name == "" || len(locations["data"].([]any)) == 0 {
			t.Errorf("company %q, locations %v", name, locations["data"])
		}

		for filename, end := range map[string]string{"submission.eml": "COMPLETED", "submission.review.eml": "Review_required"} {
			var states []string
			answers, err := clientV4(r, []string{x.company, x.location, "more-c0002", "more-l0002"}, filename, content, &states)
			if err != nil {
				t.Fatal(err)
			}
			if seen := strings.Join(states, " "); !strings.HasPrefix(seen, "Scheduled ") || !strings.Contains(seen, " Started ") || states[len(states)-1] != end {
				t.Errorf("tx_status %s", seen)
			}
			for id, answer := range answers {
				elements := answer["data"].([]any)
				if answer["data_package_id"] != id || len(elements) == 0 {
					t.Fatalf("%s: %v", id, servertest.Response)
				}
				facts := elements[0].(map[string]any)["facts"].(map[string]any)
				if data.PackageKind(id) == data.CompanyKind && facts["company_name"] != name {
					t.Errorf("%s: %v, want %s", id, facts["company_name"], name)
				}
				if id == "more-c0002" && len(facts) != 2 {
					t.Errorf("%s shows %v", id, facts)
				}
				if data.PackageKind(id) == data.LocationKind && len(elements) != len(locations["data"].([]any)) {
					t.Errorf("%s: %d locations", id, len(elements))
				}
			}
		}
	}
}
