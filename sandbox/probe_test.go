package sandbox

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestProbeReceiver checks that a receiver that verifies signatures passes, and
// that one that accepts everything does not.
func TestProbeReceiver(t *testing.T) {
	t.Parallel()
	s := Start(t)
	const secret = "s3cret"
	verifying := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(body)
		if !hmac.Equal([]byte(r.Header.Get("X-Signature")), []byte("sha256="+hex.EncodeToString(mac.Sum(nil)))) {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer verifying.Close()
	if result := s.ProbeReceiver(verifying.URL, secret); !result.Summary.Passed || result.Summary.OK != len(result.Cases) || result.Summary.Advice == "" {
		t.Errorf("verifying receiver: got %+v, want it to pass", result)
	}
	acceptingAll := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer acceptingAll.Close()
	result := s.ProbeReceiver(acceptingAll.URL, secret)
	if result.Summary.Passed || result.Summary.WronglyAccepted == 0 {
		t.Errorf("receiver that accepts everything: got %+v, want it to fail", result.Summary)
	}
	for _, c := range result.Cases {
		for _, d := range c.Deliveries {
			if !d.Sent || d.Status != 200 || d.DeliveryID == "" || d.At.IsZero() || d.Response == nil || d.Request.Method != "POST" || len(d.Request.Headers) == 0 {
				t.Errorf("case %s: incomplete delivery %+v", c.Case, d)
			}
		}
	}
}
