package health

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

const (
	checkInterval = 5 * time.Second  // how long a result is cached
	checkTimeout  = 10 * time.Second // of one check
)

// cachedCheck does a check at most once per checkInterval, however many ask for it.
type cachedCheck struct {
	check func(context.Context) error

	running singleflight.Group
	mu      sync.Mutex
	at      time.Time // of the last result
	err     error
}

// result returns the result of the check, which may be some seconds old. The error is
// that of ctx if the check does not end in time; it continues then.
func (c *cachedCheck) result(ctx context.Context) error {
	c.mu.Lock()
	at, err := c.at, c.err
	c.mu.Unlock()
	if time.Since(at) < checkInterval {
		return err
	}
	ended := c.running.DoChan("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkTimeout)
		defer cancel()
		err := c.check(ctx)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.at, c.err = time.Now(), err
		return nil, err
	})
	select {
	case result := <-ended:
		return result.Err
	case <-ctx.Done():
		return ctx.Err()
	}
}
