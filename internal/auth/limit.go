package auth

import (
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/api"
)

// limiter holds the callers of each API key to their tenant's rate. It is a
// token bucket that holds one second's calls, at least one, kept as the time
// at which it will be full again (the generic cell rate algorithm). Each server
// counts for itself: several of them let through as many times the rate.
type limiter struct {
	mu   sync.Mutex
	full map[bucket]time.Time
}

// bucket is one API key of a tenant.
type bucket struct {
	tenantID uuid.UUID
	key      string
}

// take tells how long the caller must wait before a call is let through; zero
// lets this one. now is the tenant's time.
func (l *limiter) take(b bucket, rate float64, now time.Time) time.Duration {
	if rate <= 0 {
		return 0
	}
	perCall := time.Duration(float64(time.Second) / rate)
	size := perCall * time.Duration(max(1, math.Floor(rate)))
	l.mu.Lock()
	defer l.mu.Unlock()
	full := l.full[b]
	if full.Before(now) || full.Sub(now) > size { // the latter after a reset of the clock
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

// limit refuses the call when the client's tenant makes too many. Its error
// has the given form.
func (g *Gate) limit(client Client, key string, form api.ErrorFormat) error {
	now := g.now().Add(client.ClockOffset)
	wait := g.limits.take(bucket{client.TenantID, key}, client.Settings.RateLimit, now)
	if wait == 0 {
		return nil
	}
	return tooManyRequests(form, wait)
}

func tooManyRequests(form api.ErrorFormat, wait time.Duration) *api.Error {
	seconds := max(1, math.Ceil(wait.Seconds()))
	return &api.Error{
		Status: http.StatusTooManyRequests,
		Header: http.Header{"Retry-After": {strconv.Itoa(int(seconds))}},
		Body:   form(http.StatusTooManyRequests, "Too Many Requests"),
	}
}
