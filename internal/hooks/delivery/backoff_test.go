package delivery

import (
	"net/http"
	"testing"
	"time"
)

func TestBackoff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ n, random, seconds int }{
		{0, 0, 15}, {0, 9, 24}, {1, 0, 16}, {1, 9, 34}, {2, 3, 40}, {24, 0, 331791}, {24, 9, 332016},
	} {
		if got := backoff(c.n, c.random); got != time.Duration(c.seconds)*time.Second {
			t.Errorf("backoff(%d, %d) is %s, want %d s", c.n, c.random, got, c.seconds)
		}
	}
	var total time.Duration
	for n := range maxAttempts - 1 {
		total += backoff(n, 5)
	}
	if weeks := total.Hours() / 24 / 7; weeks < 2.5 || weeks > 3.5 {
		t.Errorf("25 retries take %.1f weeks, want about three", weeks)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		status int
		given  string
		want   time.Duration
	}{
		{429, "120", 2 * time.Minute},
		{503, " 120 ", 2 * time.Minute},
		{503, "Mon, 02 Mar 2026 09:05:00 GMT", 5 * time.Minute},
		{503, "Mon, 02 Mar 2026 08:00:00 GMT", 0},
		{429, "4000000000", maxRetryAfter},
		{429, "99999999999999999999999", 0},
		{429, "-5", 0},
		{429, "soon", 0},
		{429, "", 0},
		{500, "120", 0},
		{200, "120", 0},
	} {
		if got := retryAfter(c.status, http.Header{"Retry-After": {c.given}}, now); got != c.want {
			t.Errorf("Retry-After %q of a %d is %s, want %s", c.given, c.status, got, c.want)
		}
	}
}
