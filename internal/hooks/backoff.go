package hooks

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// maxAttempts are the first try and 25 retries.
	maxAttempts = 26
	// longestAsked bounds the wait that a receiver may ask for.
	longestAsked = 7 * 24 * time.Hour
)

// backoff is the wait before retry n = 0, 1, …; random is 0 to 9.
func backoff(n, random int) time.Duration {
	return time.Duration(n*n*n*n+15+random*(n+1)) * time.Second
}

// retryAfter is the wait that an answer asks for (RFC 9110 section 10.2.3);
// 0 when it asks for none.
func retryAfter(status int, header http.Header, now time.Time) time.Duration {
	if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
		return 0
	}
	given := strings.TrimSpace(header.Get("Retry-After"))
	if at, err := http.ParseTime(given); err == nil {
		return min(max(at.Sub(now), 0), longestAsked)
	}
	seconds, err := strconv.ParseUint(given, 10, 32)
	if err != nil {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, longestAsked)
}
