package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"understudy.example/internal/remote"
)

// Token requests a new access token with the client's credentials, as a client
// of the API does. The token is valid for 12 hours.
func (s *Sandbox) Token() string {
	s.t.Helper()
	token, err := s.fetchToken(s.context())
	if err != nil {
		s.t.Fatalf("understudy: token: %v", err)
	}
	return token
}

func (s *Sandbox) fetchToken(ctx context.Context) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.BaseURL+"/auth/token?grant_type=client_credentials", nil)
	if err != nil {
		return "", err
	}
	request.SetBasicAuth(s.ClientID, s.ClientSecret)
	response, err := remote.Do(s.server.control.Client, request)
	if err != nil {
		return "", s.server.explain(err)
	}
	var grant struct {
		AccessToken string `json:"access_token"`
	}
	err = response.Decode(&grant)
	return grant.AccessToken, err
}

// HTTPClient returns an HTTP client that calls the API as the tenant's client.
// It adds the API key and an access token to each request to BaseURL that has
// no Authorization header. It reuses the token until Advance or Reset is called.
// It is safe for concurrent use.
func (s *Sandbox) HTTPClient() *http.Client {
	return &http.Client{Transport: authTransport{s}}
}

type authTransport struct{ s *Sandbox }

// RoundTrip implements http.RoundTripper.
func (a authTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasPrefix(r.URL.String(), a.s.BaseURL+"/") && r.Header.Get("Authorization") == "" {
		token, err := a.s.cachedToken(r.Context())
		if err != nil {
			if r.Body != nil {
				r.Body.Close()
			}
			return nil, fmt.Errorf("token: %w", err)
		}
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("x-api-key", a.s.APIKey)
	}
	return a.s.server.control.Client.Transport.RoundTrip(r)
}

// cachedToken returns the token of HTTPClient, and requests one if there is
// none.
func (s *Sandbox) cachedToken(ctx context.Context) (token string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token == "" {
		s.token, err = s.fetchToken(ctx)
	}
	return s.token, err
}

func (s *Sandbox) dropCachedToken() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = ""
}

// Submit submits a file with the calls that a client of the API makes: token,
// upload URL, upload and trigger. It returns the tx_id. It does not wait for the
// submission to be processed. The tenant's faults affect these calls too.
func (s *Sandbox) Submit(filename string, content []byte) (txID string) {
	s.t.Helper()
	txID, err := s.uploadAndTrigger(s.context(), filename, content)
	if err != nil {
		s.t.Fatalf("understudy: submit %s: %v", filename, err)
	}
	return txID
}

func (s *Sandbox) uploadAndTrigger(ctx context.Context, filename string, content []byte) (string, error) {
	const submitPath = "/universal/v2/universal-submit/"
	body, err := json.Marshal(map[string]string{"filename": filename})
	if err != nil {
		return "", err
	}
	var upload struct {
		TxID      string `json:"tx_id"`
		UploadURL string `json:"upload_url"`
	}
	if err := s.callAPI(ctx, http.MethodPost, s.BaseURL+submitPath+"file-upload-url", "application/json", bytes.NewReader(body), &upload); err != nil {
		return "", fmt.Errorf("upload URL: %w", err)
	}
	var form bytes.Buffer
	parts := multipart.NewWriter(&form)
	part, err := parts.CreateFormFile("file", filename)
	if err != nil {
		return "", err
	}
	part.Write(content) // a write to memory does not fail
	parts.Close()
	if err := s.callAPI(ctx, http.MethodPut, upload.UploadURL, parts.FormDataContentType(), &form, nil); err != nil {
		return "", fmt.Errorf("upload: %w", err)
	}
	if err := s.callAPI(ctx, http.MethodPost, s.BaseURL+submitPath+"file/"+url.PathEscape(upload.TxID), "", nil, nil); err != nil {
		return "", fmt.Errorf("trigger: %w", err)
	}
	return upload.TxID, nil
}

// callAPI calls the API and unmarshals the response into out, unless out is nil.
func (s *Sandbox) callAPI(ctx context.Context, method, url, contentType string, body io.Reader, out any) error {
	request, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return err
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := remote.Do(s.HTTPClient(), request)
	if err != nil {
		return s.server.explain(err)
	}
	return response.Decode(out)
}
