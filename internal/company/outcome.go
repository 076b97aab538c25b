package company

import (
	"context"
	"errors"
	"net/http"
	"time"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/outcome"
)

// How an answer that an outcome puts off waits for the tenant's clock, in real
// time.
const (
	look    = 20 * time.Millisecond
	longest = time.Minute
)

// ending returns when the call ends, by the tenant's clock, as a test may have
// asked for: `after` holds the answer until that has passed by the tenant's
// clock, at most for a minute of real time; `Failed` is the answer that all
// endpoints have for a failure of the service's own.
func ending(ctx context.Context, gate *auth.Gate, caller auth.Caller, given *outcome.Outcome) (time.Time, error) {
	end := caller.Time()
	if given == nil {
		return end, nil
	}
	until := caller.Now.Add(given.After)
	for range longest / look {
		if !end.Before(until) {
			break
		}
		err := api.Delay(ctx, look)
		if errors.Is(err, api.ErrClientGone) {
			panic(http.ErrAbortHandler) // there is nobody to answer
		}
		if err != nil {
			return time.Time{}, err
		}
		if _, end, err = gate.Tenant(ctx, caller.TenantID); err != nil {
			return time.Time{}, err
		}
	}
	if given.HasStatus(outcome.Failed) {
		return time.Time{}, api.NewError(http.StatusInternalServerError, "Internal server error")
	}
	return end, nil
}
