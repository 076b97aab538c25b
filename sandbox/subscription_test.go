package sandbox

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// TestSubscriptionOfTest subscribes, reads the delivery of an event and what is due next,
// and copies the configuration into another tenant.
func TestSubscriptionOfTest(t *testing.T) {
	t.Parallel()
	s := Start(t)
	s.Freeze()
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	t.Cleanup(receiver.Close)
	yes, secret, name := true, "s3cret", "Billing"
	hook := s.Subscribe(NewSubscription{Name: &name, URL: &receiver.URL, Events: []string{"quote_request"}, Secret: &secret, Active: &yes})
	s.FireEvent("quote_request:made", nil)
	s.Await("delivery", "", time.Minute)
	due := s.Due()
	if len(due) != 1 || due[0].Kind != "delivery" || due[0].Attempt != 2 || due[0].HookID != hook.ID {
		t.Fatalf("due %+v", due)
	}
	s.SetClock(due[0].At)
	delivery := s.Delivery(due[0].RequestID)
	if len(delivery.Attempts) != 2 || delivery.Attempts[1].Request == nil || delivery.Attempts[1].Status != http.StatusTeapot || !delivery.NextAttemptAt.After(due[0].At) {
		t.Fatalf("delivery %+v", delivery)
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(delivery.Body))
	if check := s.CheckSignature([]byte(delivery.Body), hex.EncodeToString(mac.Sum(nil)), secret); check.Valid || check.Cause == "" {
		t.Errorf("signature without its prefix: %+v", check)
	}
	other := Start(t)
	if result := other.ImportConfiguration(s.Configuration()); len(result.Missing) != 1 || len(result.CreatedClients) != 1 {
		t.Errorf("import: %+v", result)
	}
	no := false
	if hooks := other.Subscriptions(); len(hooks) != 1 || hooks[0].Name != "Billing" || other.UpdateSubscription(hooks[0].ID, NewSubscription{Active: &no}).Active {
		t.Errorf("subscriptions of the other tenant: %+v", hooks)
	}
	s.Unsubscribe(hook.ID)
	if hooks := s.Subscriptions(); len(hooks) > 0 {
		t.Errorf("subscriptions after the deletion: %+v", hooks)
	}
}
