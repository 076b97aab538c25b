package delivery

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// waker announces that deliveries may be due: to its own dispatcher at once, to
// those of other servers through Postgres, at most once per notifyInterval. A
// notify in each publishing transaction would halve how many can be published.
type waker struct {
	channel string
	name    string        // tells this server's notifications from those of others
	woken   chan struct{} // for the own dispatcher
	notify  chan struct{} // for the other servers
}

const notifyInterval = 50 * time.Millisecond

func newWaker(environment string) *waker {
	return &waker{
		channel: "hooks." + environment,
		name:    uuid.NewString(),
		woken:   make(chan struct{}, 1),
		notify:  make(chan struct{}, 1),
	}
}

// wakeAll wakes the dispatchers of all servers.
func (w *waker) wakeAll() {
	w.wakeSelf()
	signal(w.notify)
}

// wakeSelf wakes this server's dispatcher.
func (w *waker) wakeSelf() { signal(w.woken) }

func signal(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// start notifies and listens until ctx ends.
func (w *waker) start(ctx context.Context, db *pgxpool.Pool, running *sync.WaitGroup) {
	running.Go(func() { w.notifyOthers(ctx, db) })
	running.Go(func() {
		for ctx.Err() == nil {
			if err := w.listen(ctx, db); err != nil && ctx.Err() == nil {
				slog.DebugContext(ctx, "not listening for deliveries of other servers", "err", err)
				sleep(ctx, time.Second)
			}
		}
	})
}

func (w *waker) notifyOthers(ctx context.Context, db *pgxpool.Pool) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.notify:
		}
		// If it fails, the others find the deliveries when they poll.
		if _, err := db.Exec(ctx, "select pg_notify(@channel, @name)",
			pgx.StrictNamedArgs{"channel": w.channel, "name": w.name}); err != nil && ctx.Err() == nil {
			slog.DebugContext(ctx, "other servers not notified", "err", err)
		}
		sleep(ctx, notifyInterval)
	}
}

// listen wakes this server's dispatcher when another server notifies. It uses a
// connection of its own because it never gives it back.
func (w *waker) listen(ctx context.Context, db *pgxpool.Pool) error {
	conn, err := pgx.ConnectConfig(ctx, db.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "listen "+pgx.Identifier{w.channel}.Sanitize()); err != nil {
		return err
	}
	w.wakeSelf() // there may have been notifications before
	for {
		notification, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		if notification.Payload != w.name {
			w.wakeSelf()
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
