package delivery

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// maxAttempts is the first attempt and 25 retries.
	maxAttempts = 26
	// maxRetryAfter is the longest wait that a receiver can request.
	maxRetryAfter = 7 * 24 * time.Hour
)

// backoff returns the wait before retry n, counted from 0; random is 0 to 9.
func backoff(n, random int) time.Duration {
	return time.Duration(n*n*n*n+15+random*(n+1)) * time.Second
}

// retryAfter returns the wait that a 429 or 503 response requests (RFC 9110 section
// 10.2.3), or 0.
func retryAfter(status int, header http.Header, now time.Time) time.Duration {
	if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
		return 0
	}
	given := strings.TrimSpace(header.Get("Retry-After"))
	if at, err := http.ParseTime(given); err == nil {
		return min(max(at.Sub(now), 0), maxRetryAfter)
	}
	seconds, err := strconv.ParseUint(given, 10, 32)
	if err != nil {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, maxRetryAfter)
}
