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
)

// Token fetches a new access token with the client's credentials, as a client
// of the API does. It is good for 12 hours.
func (s *Sandbox) Token() string {
	s.t.Helper()
	token, err := s.fetchToken(s.t.Context())
	if err != nil {
		s.t.Fatalf("understudy: token: %v", err)
	}
	return token
}

func (s *Sandbox) fetchToken(ctx context.Context) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.BaseURL+"/auth/token?grant_type=client_credentials", nil)
	if err != nil {
		return "", err
	}
	r.SetBasicAuth(s.ClientID, s.ClientSecret)
	got, err := s.server.send(s.server.client, r)
	if err == nil {
		err = got.refusal()
	}
	if err != nil {
		return "", err
	}
	var granted struct {
		AccessToken string `json:"access_token"`
	}
	return granted.AccessToken, unmarshal(got.body, &granted)
}

// HTTPClient calls the API as the tenant's client: it adds the API key and an
// access token to each call of it that has no Authorization header of its own.
// It keeps its token until Advance moves the clock. It is safe for use by
// several goroutines.
func (s *Sandbox) HTTPClient() *http.Client {
	return &http.Client{Transport: authorised{s}}
}

type authorised struct{ s *Sandbox }

func (a authorised) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasPrefix(r.URL.String(), a.s.BaseURL+"/") && r.Header.Get("Authorization") == "" {
		token, err := a.s.kept(r.Context())
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
	return a.s.server.client.Transport.RoundTrip(r)
}

// kept is the token that HTTPClient uses.
func (s *Sandbox) kept(ctx context.Context) (token string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token == "" {
		s.token, err = s.fetchToken(ctx)
	}
	return s.token, err
}

func (s *Sandbox) forgetToken() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = ""
}

// Submit submits a file through the API, as a client does: a token, an upload
// address, the upload, the trigger. It returns the submission's tx_id. The
// tenant's faults act on these calls too.
func (s *Sandbox) Submit(filename string, content []byte) (txID string) {
	s.t.Helper()
	txID, err := s.submit(s.t.Context(), filename, content)
	if err != nil {
		s.t.Fatalf("understudy: submit %s: %v", filename, err)
	}
	return txID
}

func (s *Sandbox) submit(ctx context.Context, filename string, content []byte) (string, error) {
	const submits = "/universal/v2/universal-submit/"
	wanted, err := json.Marshal(map[string]string{"filename": filename})
	if err != nil {
		return "", err
	}
	var place struct {
		TxID      string `json:"tx_id"`
		UploadURL string `json:"upload_url"`
	}
	if err := s.api(ctx, http.MethodPost, s.BaseURL+submits+"file-upload-url", "application/json", bytes.NewReader(wanted), &place); err != nil {
		return "", fmt.Errorf("upload address: %w", err)
	}
	var form bytes.Buffer
	parts := multipart.NewWriter(&form)
	part, err := parts.CreateFormFile("file", filename)
	if err != nil {
		return "", err
	}
	part.Write(content) // to memory
	parts.Close()
	if err := s.api(ctx, http.MethodPut, place.UploadURL, parts.FormDataContentType(), &form, nil); err != nil {
		return "", fmt.Errorf("upload: %w", err)
	}
	if err := s.api(ctx, http.MethodPost, s.BaseURL+submits+"file/"+url.PathEscape(place.TxID), "", nil, nil); err != nil {
		return "", fmt.Errorf("trigger: %w", err)
	}
	return place.TxID, nil
}

// api calls the API and reads its answer into out, unless that is nil.
func (s *Sandbox) api(ctx context.Context, method, address, contentType string, body io.Reader, out any) error {
	r, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return err
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	got, err := s.server.send(s.HTTPClient(), r)
	if err == nil {
		err = got.refusal()
	}
	if err != nil || out == nil {
		return err
	}
	return unmarshal(got.body, out)
}
