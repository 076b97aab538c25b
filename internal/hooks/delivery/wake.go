package delivery

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/storage"
)

// waker wakes dispatchers when deliveries may be due: the one of this server at
// once, those of other servers by a Postgres notification, at most once per
// notifyInterval. A notify in each publishing transaction would halve the number of
// events that can be published.
type waker struct {
	channel       string
	name          string        // identifies this server's notifications
	wakeups       chan struct{} // of this server's dispatcher
	notifications chan struct{} // to be sent to other servers
}

const notifyInterval = 50 * time.Millisecond

func newWaker(environment string) *waker {
	return &waker{
		channel:       "hooks." + environment,
		name:          uuid.NewString(),
		wakeups:       make(chan struct{}, 1),
		notifications: make(chan struct{}, 1),
	}
}

// wakeAll wakes the dispatchers of all servers.
func (w *waker) wakeAll() {
	w.wakeSelf()
	signal(w.notifications)
}

// wakeSelf wakes this server's dispatcher.
func (w *waker) wakeSelf() { signal(w.wakeups) }

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
			listens, err := w.listen(ctx, db)
			if !listens {
				return // the dispatcher polls
			}
			if ctx.Err() == nil {
				slog.DebugContext(ctx, "listening for notifications of other servers failed", "err", err)
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
		case <-w.notifications:
		}
		// If it fails, the other servers find the deliveries when they poll.
		if _, err := db.Exec(ctx, "select pg_notify(@channel, @name)",
			pgx.StrictNamedArgs{"channel": w.channel, "name": w.name}); err != nil && ctx.Err() == nil {
			slog.DebugContext(ctx, "notifying other servers failed", "err", err)
		}
		sleep(ctx, notifyInterval)
	}
}

// listen wakes this server's dispatcher when another server notifies, until the
// connection fails. It returns false if a pooler does not let the server listen.
func (w *waker) listen(ctx context.Context, db *pgxpool.Pool) (bool, error) {
	conn, err := storage.Listen(ctx, db, w.channel)
	if err != nil || conn == nil {
		return err != nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	w.wakeSelf() // there may have been notifications before it listened
	for {
		notification, err := conn.WaitForNotification(ctx)
		if err != nil {
			return true, err
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
