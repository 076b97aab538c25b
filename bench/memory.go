package main

import (
	"context"
	"sync"
	"time"
)

// memory signs and posts from memory, without a database.
func memory(to *sink) func(context.Context, int) (time.Duration, error) {
	poster := newPoster()
	return func(ctx context.Context, n int) (time.Duration, error) {
		to.expect(n)
		begun := time.Now()
		type delivery struct {
			url  string
			body []byte
		}
		deliveries := make(chan delivery, publication)
		failed := make(chan error, workers)
		var posting sync.WaitGroup
		for range workers {
			posting.Go(func() {
				for d := range deliveries {
					if err := poster.post(ctx, d.url, d.body); err != nil {
						failed <- err
						return
					}
				}
			})
		}
		for i := range n {
			select {
			case deliveries <- delivery{to.url(i), newBody(i)}:
			case err := <-failed:
				return 0, err
			}
		}
		close(deliveries)
		posting.Wait()
		if err := to.wait(ctx); err != nil {
			return 0, err
		}
		return time.Since(begun), nil
	}
}
