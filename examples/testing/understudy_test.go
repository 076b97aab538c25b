// Package checkout_test contains example tests of a client against Understudy.
// Copy this file to your own package, and replace the function status with your
// client.
package checkout_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"understudy.example/sandbox"
)

const document = "Insured: Foxglove Bakery LLC\nAddress: 12 Mill Street, Springfield, IL 62701\n"

// A submission fails on demand, without waiting.
func TestFailure(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t)
	s.SetOutcome(sandbox.Outcome{
		Match:  sandbox.Match{Filename: "broken.*"},
		Status: sandbox.Failed,
	})
	txID := s.Submit("broken.txt", []byte(document))
	s.Advance(time.Minute)
	if code, state := status(t, s, s.Token(), txID); code != 200 || state != "Failed" {
		t.Errorf("got %d %q, want 200 Failed", code, state)
	}
}

// The service is unavailable for one call.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t)
	txID := s.Submit("letter.txt", []byte(document))
	s.AddFault(sandbox.Fault{
		Route:  "GET /universal/v2/universal-submit/status/{tx_id}",
		Status: 503,
		Times:  1,
	})
	token := s.Token()
	if code, _ := status(t, s, token, txID); code != 503 {
		t.Errorf("first call: got %d, want 503", code)
	}
	if code, _ := status(t, s, token, txID); code != 200 {
		t.Errorf("second call: got %d, want 200", code)
	}
}

// A token expires after twelve hours.
func TestTokenExpires(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t)
	txID := s.Submit("letter.txt", []byte(document))
	token := s.Token()
	if code, _ := status(t, s, token, txID); code != 200 {
		t.Errorf("new token: got %d, want 200", code)
	}
	s.Advance(12*time.Hour + time.Second)
	if code, _ := status(t, s, token, txID); code != 401 {
		t.Errorf("expired token: got %d, want 401", code)
	}
	if code, state := status(t, s, s.Token(), txID); code != 200 || state != "Completed" {
		t.Errorf("another token: got %d %q, want 200 Completed", code, state)
	}
}

// status gets the status of a submission. It stands for your client.
func status(t *testing.T, s *sandbox.Sandbox, token, txID string) (code int, state string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.BaseURL+"/universal/v2/universal-submit/status/"+txID, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("x-api-key", s.APIKey)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var body struct{ Status string }
	if err := json.NewDecoder(response.Body).Decode(&body); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, body.Status
}
