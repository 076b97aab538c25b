package fault

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"understudy.example/internal/api"
	"understudy.example/internal/route"
)

// maxDelay is the longest delay of a fault.
const maxDelay = time.Minute

// readFault reads a fault from the body of a request. now is the tenant's time.
func readFault(body api.Object, now time.Time) (fault, error) {
	f := fault{CreatedAt: now}
	var delay, expires *string
	var drop *bool
	var seed json.RawMessage
	fields := map[string]any{
		"route": &f.Route, "status": &f.Status, "delay": &delay, "drop": &drop, "times": &f.Times, "every": &f.Every,
		"probability": &f.Probability, "seed": &seed, "expires": &expires, "body": new(json.RawMessage),
	}
	for name, raw := range body {
		target, ok := fields[name]
		if !ok {
			return fault{}, api.BadRequest("unknown field %q", name)
		}
		if json.Unmarshal(raw, target) != nil {
			return fault{}, api.BadRequest("%s: %s has the wrong type", name, raw)
		}
	}
	if raw, ok := body["body"]; ok {
		text := string(raw)
		f.Body = &text
	}
	f.Dropped = drop != nil && *drop
	if seed != nil {
		f.Seed = string(seed)
		json.Unmarshal(seed, &f.Seed) // if the seed is not a string, its JSON text is used
	}
	if err := errors.Join(f.parseDelay(delay), f.parseExpiry(expires, now)); err != nil {
		return fault{}, api.BadRequest("%s", err)
	}
	if f.Status == nil && (f.Body != nil || f.Delay == 0 && !f.Dropped) {
		status := http.StatusInternalServerError
		f.Status = &status
	}
	return f, f.validate()
}

func (f *fault) parseDelay(text *string) (err error) {
	if text == nil {
		return nil
	}
	f.Delay, err = time.ParseDuration(*text)
	if err != nil || f.Delay <= 0 || f.Delay > maxDelay {
		return fmt.Errorf("delay: want a duration such as 250ms, at most %s", maxDelay)
	}
	return nil
}

// parseExpiry parses a duration from now, or a time, both on the tenant's clock.
func (f *fault) parseExpiry(text *string, now time.Time) error {
	if text == nil {
		return nil
	}
	at, err := time.Parse(time.RFC3339, *text)
	if err != nil {
		lasts, err := api.ParseDuration(*text)
		if err != nil || lasts <= 0 {
			return errors.New("expires: want a duration such as 30s, or a time of RFC 3339")
		}
		at = now.Add(lasts)
	}
	at = at.UTC()
	f.ExpiresAt = &at
	return nil
}

// validate returns an *api.Error if the fault is invalid.
func (f *fault) validate() error {
	switch {
	case f.Route == "":
		return api.BadRequest("route is required")
	case f.Route != "*" && !routeExists(f.Route):
		return api.BadRequest("unknown route %q", f.Route)
	case f.Status != nil && (*f.Status < 200 || *f.Status > 599):
		return api.BadRequest("status: want 200 to 599")
	case f.Dropped && f.Status != nil:
		return api.BadRequest("drop: a dropped call has no status and no body")
	case f.Times != nil && *f.Times < 1:
		return api.BadRequest("times: want 1 or more")
	case f.Every != nil && *f.Every < 1:
		return api.BadRequest("every: want 1 or more")
	case f.Probability != nil && (*f.Probability < 0 || *f.Probability > 1):
		return api.BadRequest("probability: want 0 to 1")
	}
	return nil
}

// routeExists reports whether the API has the route: a path, whose parameters may be
// in braces, with or without a method before it.
func routeExists(text string) bool {
	method, path := splitRoute(text)
	_, ok := route.Find(route.API, method, path)
	return ok
}
