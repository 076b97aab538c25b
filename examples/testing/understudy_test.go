// Package checkout_test shows tests of a client against Understudy. Copy it
// beside your own, and let your client make the calls that status makes here.
package checkout_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"understudy.example/sandbox"
)

const document = "Insured: Foxglove Bakery LLC\nAddress: 12 Mill Street, Springfield, IL 62701\n"

// A submission that ends Failed: on demand, and without waiting for it.
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
		t.Errorf("%d %q", code, state)
	}
}

// A service that is away for one call.
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
		t.Errorf("first: %d", code)
	}
	if code, _ := status(t, s, token, txID); code != 200 {
		t.Errorf("then: %d", code)
	}
}

// A token that expires, twelve hours later.
func TestTokenExpires(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t)
	txID := s.Submit("letter.txt", []byte(document))
	token := s.Token()
	if code, _ := status(t, s, token, txID); code != 200 {
		t.Errorf("fresh: %d", code)
	}
	s.Advance(12*time.Hour + time.Second)
	if code, _ := status(t, s, token, txID); code != 401 {
		t.Errorf("expired: %d", code)
	}
	if code, state := status(t, s, s.Token(), txID); code != 200 || state != "Completed" {
		t.Errorf("with another token: %d %q", code, state)
	}
}

// status asks for a submission's status, as your client does.
func status(t *testing.T, s *sandbox.Sandbox, token, txID string) (code int, state string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.BaseURL+"/universal/v2/universal-submit/status/"+txID, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("x-api-key", s.APIKey)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var told struct{ Status string }
	if err := json.NewDecoder(answer.Body).Decode(&told); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, told.Status
}
