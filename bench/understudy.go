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
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
)

// understudyQueue is the candidate that uses the server's own packages.
type understudyQueue struct {
	db        *pgxpool.Pool
	receivers *receivers
	seal      *hooks.Seal
	tenantID  uuid.UUID
}

// newUnderstudyQueue creates a tenant with a subscription for each receiver.
func newUnderstudyQueue(ctx context.Context, db *pgxpool.Pool, receivers *receivers) (*understudyQueue, error) {
	keys, err := auth.LoadKeys(ctx, db, environment, bytes.Repeat([]byte("k"), 32), time.Now())
	if err != nil {
		return nil, err
	}
	gate := auth.NewGate(db, db, keys, time.Now, nil)
	var acme auth.Tenant
	var credentials auth.Credentials
	if err := storage.InTx(ctx, db, func(tx pgx.Tx) (err error) {
		acme, credentials, err = gate.AddTenant(ctx, tx, "acme", auth.AllPermissions, auth.Settings{})
		return err
	}); err != nil {
		return nil, err
	}
	q := &understudyQueue{db, receivers, hooks.NewSeal(keys.Sealing), acme.ID}
	mux := http.NewServeMux()
	mux.Handle("POST /auth/token", api.Serve(api.OAuthErrors, storage.UnavailableReason, auth.Token(gate)))
	create, _ := route.Find(route.API, http.MethodPost, "/hooks")
	mux.Handle(create.Pattern(), api.Serve(api.HookErrors, storage.UnavailableReason, hooks.Create(db, gate, create, q.seal, hooks.NewSender(hooks.Network{AllowPrivate: true}, hooks.Signature{}))))
	login := httptest.NewRequest("POST", "/auth/token?grant_type=client_credentials", nil)
	login.SetBasicAuth(credentials.ClientID, credentials.ClientSecret)
	response := httptest.NewRecorder()
	mux.ServeHTTP(response, login)
	_, rest, _ := strings.Cut(response.Body.String(), `"access_token":"`)
	token, _, _ := strings.Cut(rest, `"`)
	for i := range subscriptions {
		request := httptest.NewRequest("POST", "/hooks", strings.NewReader(
			fmt.Sprintf(`{"url":%q,"active":true,"events":[%q],"secret":%q}`, receivers.urlFor(i), eventName(i), secret)))
		request.Header.Set("Authorization", "Bearer "+token)
		response := httptest.NewRecorder()
		mux.ServeHTTP(response, request)
		if response.Code != http.StatusCreated {
			return nil, fmt.Errorf("create subscription: %d %s", response.Code, response.Body)
		}
	}
	return q, nil
}

func eventName(i int) string { return fmt.Sprintf("bench:completed%d", i%subscriptions) }

func (q *understudyQueue) newEvent(n int) hooks.Event {
	return hooks.Event{Tenant: auth.Tenant{ID: q.tenantID, Name: "acme"}, Name: eventName(n), At: time.Now(), Data: newPayload(n)}
}

// startDispatcher starts a dispatcher, which runs until the returned function is
// called.
func (q *understudyQueue) startDispatcher(ctx context.Context) (*hooks.Dispatcher, func()) {
	sender := hooks.NewSender(hooks.Network{AllowPrivate: true}, hooks.Signature{})
	dispatcher := hooks.NewDispatcher(q.db, environment, q.seal, sender, nil, time.Now)
	ctx, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { dispatcher.Run(ctx) })
	return dispatcher, func() {
		stop()
		running.Wait()
	}
}

// publish publishes the events from <= n < to in one transaction.
func (q *understudyQueue) publish(ctx context.Context, from, to int) error {
	events := make([]hooks.Event, 0, to-from)
	for i := from; i < to; i++ {
		events = append(events, q.newEvent(i))
	}
	return pgx.BeginFunc(ctx, q.db, func(tx pgx.Tx) error {
		return hooks.Publish(ctx, tx, time.Now(), events...)
	})
}

func (q *understudyQueue) run(ctx context.Context, n int) (time.Duration, error) {
	if _, err := q.db.Exec(ctx, "truncate deliveries, events, failed_attempts, feed, attempt_batches"); err != nil {
		return 0, err
	}
	q.receivers.expect(n)
	dispatcher, stop := q.startDispatcher(ctx)
	defer stop()
	start := time.Now()
	for from := 0; from < n; from += batchSize {
		if err := q.publish(ctx, from, min(from+batchSize, n)); err != nil {
			return 0, err
		}
		dispatcher.Wake()
	}
	if err := q.receivers.wait(ctx); err != nil {
		return 0, err
	}
	return time.Since(start), nil
}

// measureLatency publishes events one by one at a steady rate, in events per
// second, and returns the time of each from its commit to the first byte at the
// receiver.
func (q *understudyQueue) measureLatency(ctx context.Context, rate int, duration time.Duration) ([]time.Duration, error) {
	n := int(duration.Seconds() * float64(rate))
	q.receivers.expect(n)
	dispatcher, stop := q.startDispatcher(ctx)
	defer stop()
	committed := make([]time.Time, n)
	ticker := time.NewTicker(time.Second / time.Duration(rate))
	defer ticker.Stop()
	for i := range n {
		<-ticker.C
		if err := q.publish(ctx, i, i+1); err != nil {
			return nil, err
		}
		committed[i] = time.Now()
		dispatcher.Wake()
	}
	if err := q.receivers.wait(ctx); err != nil {
		return nil, err
	}
	latencies := make([]time.Duration, n)
	for i := range latencies {
		latencies[i] = max(q.receivers.receivedAt[i].Sub(committed[i]), 0)
	}
	return latencies, nil
}
