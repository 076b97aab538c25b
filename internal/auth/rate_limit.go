package auth

import (
	"math"
	"sync"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/api"
)

// limiter limits the calls with each API key, and the webhook calls of each client, to
// the tenant's rate. Each has a token bucket for the calls of one second, but for at
// least one call. The bucket is stored as the time at which it will be full again
// (generic cell rate algorithm). Each server counts separately: n servers admit up to n
// times the rate.
type limiter struct {
	mu   sync.Mutex
	full map[bucket]time.Time
}

// bucket identifies the bucket of a tenant's API key or client.
type bucket struct {
	tenantID uuid.UUID
	key      string
	clientID string // for webhook calls, which have no API key
}

// take takes a call from the bucket and returns 0, or returns how long the caller must
// wait. now is the tenant's time, rate is in calls per second.
func (l *limiter) take(b bucket, rate float64, now time.Time) time.Duration {
	if rate <= 0 {
		return 0
	}
	perCall := time.Duration(float64(time.Second) / rate)
	size := perCall * time.Duration(max(1, math.Floor(rate)))
	l.mu.Lock()
	defer l.mu.Unlock()
	full := l.full[b]
	if full.Before(now) || full.Sub(now) > size { // the latter after the clock was reset
		full = now
	}
	full = full.Add(perCall)
	if wait := full.Sub(now) - size; wait > 0 {
		return wait
	}
	if len(l.full) > 10_000 {
		clear(l.full)
	}
	l.full[b] = full
	return 0
}

// checkRateLimit returns a 429 response of the given form if the bucket has used up
// the tenant's rate.
func (g *Gate) checkRateLimit(client Client, b bucket, form api.ErrorFormat) error {
	now := client.Time(g.now())
	wait := g.limits.take(b, client.Settings.RateLimit, now)
	if wait == 0 {
		return nil
	}
	return tooManyRequests(form, client.Settings.RateLimit, wait)
}
