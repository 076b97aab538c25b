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

// TestWithin: a handler that takes too long ends as with a database that is
// away, and what it pauses doesn't count.
func TestWithin(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pause, work time.Duration
		ends        bool
	}{
		{0, 9 * time.Second, false},
		{0, 11 * time.Second, true},
		{time.Minute, 9 * time.Second, false},
		{time.Minute, 11 * time.Second, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			err := Within(10*time.Second, func(_ http.ResponseWriter, r *http.Request) error {
				if err := Pause(r.Context(), test.pause); err != nil {
					return err
				}
				select {
				case <-r.Context().Done():
					return r.Context().Err()
				case <-time.After(test.work):
					return nil
				}
			})(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
			if errors.Is(err, context.DeadlineExceeded) != test.ends {
				t.Errorf("%+v: %v", test, err)
			}
		})
	}
}
