package api

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// TestWithTimeout checks that a handler that takes too long returns
// context.DeadlineExceeded, and that time spent in Delay does not count.
func TestWithTimeout(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		delay, work time.Duration
		timesOut    bool
	}{
		{0, 9 * time.Second, false},
		{0, 11 * time.Second, true},
		{time.Minute, 9 * time.Second, false},
		{time.Minute, 11 * time.Second, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			err := WithTimeout(10*time.Second, func(_ http.ResponseWriter, r *http.Request) error {
				if err := Delay(r.Context(), test.delay); err != nil {
					return err
				}
				select {
				case <-r.Context().Done():
					return r.Context().Err()
				case <-time.After(test.work):
					return nil
				}
			})(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
			if errors.Is(err, context.DeadlineExceeded) != test.timesOut {
				t.Errorf("%+v: got %v", test, err)
			}
		})
	}
}
