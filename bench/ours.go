package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/hooks"
	"understudy.example/internal/storage"
)

// ours does the work with the server's own parts.
type ours struct {
	db       *pgxpool.Pool
	to       *sink
	seal     *hooks.Seal
	tenantID uuid.UUID
}

func newOurs(ctx context.Context, db *pgxpool.Pool, to *sink) (*ours, error) {
	keys, err := auth.LoadKeys(ctx, db, environment, bytes.Repeat([]byte("k"), 32), time.Now())
	if err != nil {
		return nil, err
	}
	tenants, err := auth.SeedDemos(ctx, db, keys, time.Now())
	if err != nil {
		return nil, err
	}
	o := &ours{db, to, hooks.NewSeal(keys.Sealing), tenants["acme"]}
	gate := auth.NewGate(db, keys, time.Now)
	mux := http.NewServeMux()
	mux.Handle("POST /auth/token", api.Serve(api.OAuth, storage.Unavailable, auth.Token(gate)))
	mux.Handle("POST /hooks", api.Serve(api.Hooks, storage.Unavailable, hooks.Create(db, gate, o.seal)))
	login := httptest.NewRequest("POST", "/auth/token?grant_type=client_credentials", nil)
	login.SetBasicAuth("acme-client", "acme-secret")
	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, login)
	_, rest, _ := strings.Cut(answer.Body.String(), `"access_token":"`)
	token, _, _ := strings.Cut(rest, `"`)
	for i := range subscriptions {
		request := httptest.NewRequest("POST", "/hooks", strings.NewReader(
			fmt.Sprintf(`{"url":%q,"active":true,"events":[%q],"secret":%q}`, to.url(i), eventName(i), secret)))
		request.Header.Set("Authorization", "Bearer "+token)
		answer := httptest.NewRecorder()
		mux.ServeHTTP(answer, request)
		if answer.Code != http.StatusCreated {
			return nil, fmt.Errorf("subscribe: %d %s", answer.Code, answer.Body)
		}
	}
	return o, nil
}

func eventName(i int) string { return fmt.Sprintf("bench:completed%d", i%subscriptions) }

func (o *ours) event(n int) hooks.Event {
	return hooks.Event{TenantID: o.tenantID, TenantName: "acme", Name: eventName(n), At: time.Now(), Data: newPayload(n)}
}

// dispatch runs a dispatcher until the returned function is called.
func (o *ours) dispatch(ctx context.Context) (*hooks.Dispatcher, func()) {
	sender := hooks.NewSender(hooks.Network{Inside: true}, hooks.Signature{})
	dispatcher := hooks.NewDispatcher(o.db, environment, o.seal, sender, time.Now)
	ctx, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { dispatcher.Run(ctx) })
	return dispatcher, func() {
		stop()
		running.Wait()
	}
}

func (o *ours) publish(ctx context.Context, from, to int) error {
	events := make([]hooks.Event, 0, to-from)
	for i := from; i < to; i++ {
		events = append(events, o.event(i))
	}
	return pgx.BeginFunc(ctx, o.db, func(tx pgx.Tx) error {
		return hooks.Publish(ctx, tx, time.Now(), events...)
	})
}

func (o *ours) run(ctx context.Context, n int) (time.Duration, error) {
	if _, err := o.db.Exec(ctx, "truncate deliveries, events, failed_attempts, feed, attempted"); err != nil {
		return 0, err
	}
	o.to.expect(n)
	dispatcher, stop := o.dispatch(ctx)
	defer stop()
	begun := time.Now()
	for from := 0; from < n; from += publication {
		if err := o.publish(ctx, from, min(from+publication, n)); err != nil {
			return 0, err
		}
		dispatcher.Wake()
	}
	if err := o.to.wait(ctx); err != nil {
		return 0, err
	}
	return time.Since(begun), nil
}

// latency publishes events one by one at a steady rate and returns the times
// from each commit to the first byte at the sink.
func (o *ours) latency(ctx context.Context, rate int, long time.Duration) ([]time.Duration, error) {
	n := int(long.Seconds() * float64(rate))
	o.to.expect(n)
	dispatcher, stop := o.dispatch(ctx)
	defer stop()
	committed := make([]time.Time, n)
	tick := time.NewTicker(time.Second / time.Duration(rate))
	defer tick.Stop()
	for i := range n {
		<-tick.C
		if err := o.publish(ctx, i, i+1); err != nil {
			return nil, err
		}
		committed[i] = time.Now()
		dispatcher.Wake()
	}
	if err := o.to.wait(ctx); err != nil {
		return nil, err
	}
	waits := make([]time.Duration, n)
	for i := range waits {
		waits[i] = max(o.to.seen[i].Sub(committed[i]), 0)
	}
	return waits, nil
}
