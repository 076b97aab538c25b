package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/auth"
	"understudy.example/internal/hooks"
	"understudy.example/internal/server/servertest"
)

// TestProfilesDeliver has each profile deliver to the machine's own and to a
// private address.
func TestProfilesDeliver(t *testing.T) {
	t.Parallel()
	for profile, want := range map[string]string{"local": "", "uat": "blocked_address"} {
		t.Run(profile, func(t *testing.T) {
			var dispatcher *hooks.Dispatcher
			w := servertest.New(t, func(p *parts) {
				sender := (&Config{Profile: profile}).sender()
				dispatcher = hooks.NewDispatcher(p.db.(*pgxpool.Pool), "sandbox", p.seal, sender, p.gate.Now)
				p.wake = dispatcher.Wake
			})
			ctx, stop := context.WithCancel(context.Background())
			var running sync.WaitGroup
			running.Go(func() { dispatcher.Run(ctx) }) // nothing is delivered then
			t.Cleanup(func() {
				stop()
				running.Wait()
			})
			var calls atomic.Int64
			receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
			t.Cleanup(receiver.Close)
			targets := []string{receiver.URL, strings.Replace(receiver.URL, "127.0.0.1", "localhost", 1)}
			if profile == "uat" {
				targets = append(targets, "http://10.0.0.1/", "http://192.168.1.1/", "http://[::1]:8080/")
			}
			token := w.NewToken(auth.Demos[0]).Get(t, "access_token").(string)
			var tenantID uuid.UUID
			for _, target := range targets {
				made := w.Do(servertest.Call{Line: "POST /hooks", Token: token, Body: `{"url":"` + target + `","active":true,"events":["*"]}`}).Want(t, 201)
				tenantID = uuid.MustParse(made.Text(t, "tenant_id"))
			}
			w.Do(servertest.Call{
				Line: "POST /company/v1/company_submit", Token: token, Key: "acme-api-key",
				Body: `{"company_name":"Lantern Quay Bakery LLC","address":"12 Example Street, Portland, ME 04101"}`,
			}).Want(t, 200)
			var made []hooks.Attempt
			servertest.Until(t, "each target is tried", func() bool {
				var err error
				if made, err = hooks.Attempts(t.Context(), w.DB, tenantID, time.Time{}, w.Now().Add(time.Hour)); err != nil {
					t.Fatal(err)
				}
				return len(made) == len(targets)
			})
			for _, attempt := range made {
				if attempt.Failure != want {
					t.Errorf("attempt to %s failed with %q, want %q", attempt.URL, attempt.Failure, want)
				}
			}
			if (calls.Load() > 0) != (want == "") {
				t.Errorf("the receiver was called %d times", calls.Load())
			}
		})
	}
}
