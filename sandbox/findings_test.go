package sandbox

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestNoFindings checks that a test with NoFindings fails at its end, with the calls, their
// hints and the advice, and that a test without findings passes.
func TestNoFindings(t *testing.T) {
	t.Parallel()
	var tenant string
	message := messagesOf(t, func(t testing.TB) {
		s := Start(t, NoFindings())
		tenant = s.TenantName
		for range 4 {
			if _, err := s.HTTPClient().Post(s.BaseURL+"/universal/v2/universal-submit/file-upload-url", "text/plain", strings.NewReader(`{"filename":"a.txt"}`)); err != nil {
				t.Fatal(err)
			}
		}
	})
	const call = "    POST /universal/v2/universal-submit/file-upload-url: "
	if !strings.HasPrefix(message, "understudy: findings about the clients of tenant "+tenant+":\n  json-content-type (4): ") ||
		strings.Count(message, call) != maxCalls || !strings.Contains(message, "\n    and 1 more\n    Hint: ") {
		t.Errorf("got %q", message)
	}
	if message := messagesOf(t, func(t testing.TB) { Start(t, NoFindings()).Submit("letter.txt", []byte(letter)) }); message != "" {
		t.Errorf("without findings: got %q", message)
	}
}

// TestAssertNoFindings checks that a finding about webhooks, which no call shows, is
// reported, and that a call's hint is.
func TestAssertNoFindings(t *testing.T) {
	t.Parallel()
	message := messagesOf(t, func(t testing.TB) {
		s := Start(t)
		s.Receiver(ReceiverOptions{Status: http.StatusTeapot})
		s.FireEvent("hook:test", nil)
		s.Await("delivery", "", time.Minute)
		token := s.Token()
		s.Advance(13 * time.Hour)
		request, _ := http.NewRequest(http.MethodGet, s.BaseURL+"/hooks", nil)
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("x-api-key", s.APIKey)
		for range 3 {
			response, err := s.HTTPClient().Do(request)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
		}
		s.AssertNoFindings()
	})
	for _, want := range []string{"\n  webhook-not-accepted (", "\n  expired-token (3): ", "\n    GET /hooks: 401 ("} {
		if !strings.Contains(message, want) {
			t.Errorf("got %q, want it to contain %q", message, want)
		}
	}
}
