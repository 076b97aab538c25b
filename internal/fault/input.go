package fault

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"understudy.example/internal/api"
	"understudy.example/internal/hooks"
	"understudy.example/internal/route"
)

const (
	maxDelay         = time.Minute // of a call
	maxDeliveryDelay = 30 * 24 * time.Hour
	maxDuplicates    = 100
)

// DefinitionFields are the keys of a fault in an imported configuration.
var DefinitionFields = []string{
	"route", "status", "delay", "drop", "times", "every", "probability", "seed", "expires", "body",
	"delivery", "duplicate", "reorder", "wrong_signature", "truncate",
}

// readFault reads a fault from the body of a request. now is the tenant's time.
func readFault(body api.Object, now time.Time) (fault, error) {
	f := fault{CreatedAt: now}
	var delay, expires *string
	var duplicate *int
	var seed json.RawMessage
	fields := map[string]any{
		"route": &f.Route, "status": &f.Status, "delay": &delay, "drop": &f.Dropped, "times": &f.Times, "every": &f.Every,
		"probability": &f.Probability, "seed": &seed, "expires": &expires, "body": new(json.RawMessage),
		"delivery": &f.Delivery, "duplicate": &duplicate, "reorder": &f.Reorder, "wrong_signature": &f.WrongSignature, "truncate": &f.Truncated,
	}
	if err := api.CheckKeys("", body, DefinitionFields...); err != nil {
		return fault{}, err
	}
	for name, raw := range body {
		if json.Unmarshal(raw, fields[name]) != nil || string(raw) == "null" && name != "body" {
			return fault{}, api.BadRequest("%s: %s has the wrong type", name, raw)
		}
	}
	if body["route"] != nil && body["delivery"] != nil {
		return fault{}, api.BadRequest("route and delivery: want one of them")
	}
	if raw, ok := body["body"]; ok {
		text := string(raw)
		f.Body = &text
	}
	if duplicate != nil {
		if f.Duplicate = *duplicate; f.Duplicate < 1 || f.Duplicate > maxDuplicates {
			return fault{}, api.BadRequest("duplicate: want 1 to %d", maxDuplicates)
		}
	}
	if seed != nil {
		f.Seed = string(seed)
		if json.Unmarshal(seed, &f.Seed) != nil && json.Unmarshal(seed, new(float64)) != nil { // of a number, its JSON text is used
			return fault{}, api.BadRequest("seed: want a string or a number")
		}
	}
	if err := errors.Join(f.parseDelay(delay), f.parseExpiry(expires, now)); err != nil {
		return fault{}, api.BadRequest("%s", err)
	}
	if f.Delivery == "" && f.Status == nil && (f.Body != nil || f.Delay == 0 && !f.Dropped) {
		status := http.StatusInternalServerError
		f.Status = &status
	}
	return f, f.validate()
}

func (f *fault) parseDelay(text *string) (err error) {
	if text == nil {
		return nil
	}
	longest := maxDelay
	if f.Delivery != "" {
		longest = maxDeliveryDelay
	}
	f.Delay, err = api.ParseDuration(*text)
	if err != nil || f.Delay <= 0 || f.Delay > longest {
		return fmt.Errorf("delay: want a duration such as 250ms, at most %s", longest)
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
	if err := f.validateTarget(); err != nil {
		return err
	}
	if err := f.validateSize(); err != nil {
		return err
	}
	switch {
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

// validateTarget returns an *api.Error unless the fault is either on calls or on
// deliveries.
func (f *fault) validateTarget() error {
	onlyDeliveries := f.Duplicate > 0 || f.Reorder || f.WrongSignature || f.Truncated
	switch {
	case f.Route == "" && f.Delivery == "":
		return api.BadRequest("route or delivery is required")
	case f.Route != "" && f.Route != "*" && !routeExists(f.Route):
		return api.BadRequest("unknown route %q", f.Route)
	case f.Route != "" && onlyDeliveries:
		return api.BadRequest("duplicate, reorder, wrong_signature and truncate need delivery in place of route")
	case f.Delivery != "" && !hooks.ValidEntry(f.Delivery):
		return api.BadRequest("delivery: want a subject, subject:action or *")
	case f.Delivery != "" && (f.Status != nil || f.Body != nil):
		return api.BadRequest("status and body need route in place of delivery")
	case f.Delivery != "" && !onlyDeliveries && f.Delay == 0 && !f.Dropped:
		return api.BadRequest("delivery: want duplicate, delay, reorder, wrong_signature, truncate or drop")
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
