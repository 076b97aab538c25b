package main

import (
	"context"
	"sync"
	"time"
)

// runMemory returns the run function of the candidate that sends from memory,
// without a database.
func runMemory(receivers *receivers) func(context.Context, int) (time.Duration, error) {
	poster := newPoster()
	return func(ctx context.Context, n int) (time.Duration, error) {
		receivers.expect(n)
		start := time.Now()
		type delivery struct {
			url  string
			body []byte
		}
		deliveries := make(chan delivery, batchSize)
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
			case deliveries <- delivery{receivers.urlFor(i), newBody(i)}:
			case err := <-failed:
				return 0, err
			}
		}
		close(deliveries)
		posting.Wait()
		if err := receivers.wait(ctx); err != nil {
			return 0, err
		}
		return time.Since(start), nil
	}
}
