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

// How a call waits for the tenant's clock, in real time.
const (
	pollInterval = 20 * time.Millisecond
	maxWait      = time.Minute
)

// awaitEnd returns the tenant's time at which the call ends. An outcome can delay the
// call on the tenant's clock, but at most by maxWait of real time, and can make it
// fail with the response to an internal error. preset is nil if no outcome applies.
func awaitEnd(ctx context.Context, gate *auth.Gate, caller auth.Caller, preset *outcome.Candidate) (time.Time, error) {
	end := caller.Time()
	if preset == nil {
		return end, nil
	}
	until := caller.Now.Add(preset.After)
	for range maxWait / pollInterval {
		if !end.Before(until) {
			break
		}
		err := api.Delay(ctx, pollInterval)
		if errors.Is(err, api.ErrClientGone) {
			panic(http.ErrAbortHandler) // the client has disconnected
		}
		if err != nil {
			return time.Time{}, err
		}
		if _, end, err = gate.Tenant(ctx, caller.TenantID); err != nil {
			return time.Time{}, err
		}
	}
	if preset.HasStatus(outcome.Failed) {
		return time.Time{}, api.NewError(http.StatusInternalServerError, "Internal server error", "the tenant's outcome makes this company submit fail")
	}
	return end, nil
}
