package hooks

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// waker passes on that deliveries may be due: to its own dispatcher at once, to
// those of other servers through Postgres, at most every spacing. A notify in
// each publishing transaction would halve their number.
type waker struct {
	channel string
	name    string        // tells own notifications from others'
	woken   chan struct{} // for the own dispatcher
	told    chan struct{} // to be passed on
}

const spacing = 50 * time.Millisecond

func newWaker(environment string) *waker {
	return &waker{
		channel: "hooks." + environment,
		name:    uuid.NewString(),
		woken:   make(chan struct{}, 1),
		told:    make(chan struct{}, 1),
	}
}

// Wake tells all dispatchers.
func (w *waker) Wake() {
	w.self()
	signal(w.told)
}

// self tells the own dispatcher.
func (w *waker) self() { signal(w.woken) }

func signal(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// Start passes on and listens until ctx ends.
func (w *waker) Start(ctx context.Context, db *pgxpool.Pool, running *sync.WaitGroup) {
	running.Go(func() { w.passOn(ctx, db) })
	running.Go(func() {
		for ctx.Err() == nil {
			if err := w.listen(ctx, db); err != nil && ctx.Err() == nil {
				slog.DebugContext(ctx, "not listening for deliveries of other servers", "err", err)
				sleep(ctx, time.Second)
			}
		}
	})
}

func (w *waker) passOn(ctx context.Context, db *pgxpool.Pool) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.told:
		}
		// Should it fail, the others look by themselves.
		if _, err := db.Exec(ctx, "select pg_notify(@channel, @name)",
			pgx.StrictNamedArgs{"channel": w.channel, "name": w.name}); err != nil && ctx.Err() == nil {
			slog.DebugContext(ctx, "other servers not woken", "err", err)
		}
		sleep(ctx, spacing)
	}
}

// listen wakes the own dispatcher when another server's is told. It has a
// connection of its own, since it holds it for good.
func (w *waker) listen(ctx context.Context, db *pgxpool.Pool) error {
	conn, err := pgx.ConnectConfig(ctx, db.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "listen "+pgx.Identifier{w.channel}.Sanitize()); err != nil {
		return err
	}
	w.self() // for what was missed
	for {
		notification, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		if notification.Payload != w.name {
			w.self()
		}
	}
}

func sleep(ctx context.Context, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
