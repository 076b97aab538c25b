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

// TestProbe: a receiver that verifies passes, one that takes all does not.
func TestProbe(t *testing.T) {
	t.Parallel()
	s := Start(t)
	const secret = "s3cret"
	careful := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(body)
		if !hmac.Equal([]byte(r.Header.Get("X-Signature")), []byte("sha256="+hex.EncodeToString(mac.Sum(nil)))) {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer careful.Close()
	if found := s.Probe(careful.URL, secret); !found.Summary.Passed || found.Summary.OK != len(found.Cases) || found.Summary.Advice == "" {
		t.Errorf("careful: %+v", found)
	}
	careless := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer careless.Close()
	found := s.Probe(careless.URL, secret)
	if found.Summary.Passed || found.Summary.WronglyAccepted == 0 {
		t.Errorf("careless: %+v", found.Summary)
	}
	for _, one := range found.Cases {
		for _, sent := range one.Deliveries {
			if !sent.Sent || sent.Status != 200 || sent.DeliveryID == "" || sent.At.IsZero() || sent.Response == nil || sent.Request.Method != "POST" || len(sent.Request.Headers) == 0 {
				t.Errorf("%s: %+v", one.Case, sent)
			}
		}
	}
}
