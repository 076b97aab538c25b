package hooks

import (
	"maps"
	"net/http"
	"slices"

	"understudy.example/internal/api"
)

// fieldError describes why a field is invalid.
type fieldError struct {
	message string // in the response's body
	fix     string // a clause for the hint; "" = the field is valid
}

// Messages of field errors (service.md, "Errors").
const (
	blank      = "can't be blank"
	invalid    = "is invalid"
	notAllowed = "is not allowed"
	// InvalidHeader is the message about a header that is no pair. The journal shows it.
	InvalidHeader = "colon separated key value pair"
)

// Field errors whose text does not depend on the value.
var (
	urlMissing     = fieldError{blank, "send an absolute http or https URL"}
	eventsMissing  = fieldError{blank, "an active subscription needs at least one event, such as *"}
	eventsInvalid  = fieldError{invalid, "send a list of at most 100 entries of the form subject, subject:action or *"}
	eventsTooLong  = fieldError{invalid, "send entries of at most 8,192 bytes together"}
	activeInvalid  = fieldError{invalid, "send true or false, without quotes"}
	tooManyActive  = fieldError{"limit of 10 active subscriptions reached", "deactivate or delete another subscription first"}
	tooManyHooks   = fieldError{"limit of 1000 subscriptions reached", "delete another subscription first"} // of "base", since it concerns no field
	inactive       = fieldError{"subscription is not active", "set it to true with PATCH /hooks/{hook_id} first"}
	secretInvalid  = fieldError{invalid, "send a string of at most 4,096 bytes"}
	headerNotAPair = fieldError{InvalidHeader, `send one string of the form "Name: Value", or null to send no header`}
)

// fieldErrors are the errors by field.
type fieldErrors map[string]fieldError

// asError returns the 422 that lists the errors; nil if there are none. Its hint
// contains as many fixes as it has room for, in the order of the field names.
func (e fieldErrors) asError() error {
	if len(e) == 0 {
		return nil
	}
	body, hint := map[string][]string{}, ""
	for _, field := range slices.Sorted(maps.Keys(e)) {
		body[field] = []string{e[field].message}
		fix := field + ": " + e[field].fix
		switch {
		case hint == "":
			hint = fix
		case len(hint)+len("; ")+len(fix) <= api.MaxHintBytes:
			hint += "; " + fix
		}
	}
	return api.NewErrorBody(http.StatusUnprocessableEntity, body, hint)
}

func notFound() *api.Error {
	return api.NewErrorBody(http.StatusNotFound, api.HookErrors(http.StatusNotFound, "Not Found"),
		"the tenant has no subscription with this id, or the subscription has no request with this id: check the ids in the path")
}

// causedByDelivery returns the error for a redelivery request that is itself the delivery of a webhook.
func causedByDelivery() *api.Error {
	return api.NewErrorBody(http.StatusForbidden, api.HookErrors(http.StatusForbidden, "Forbidden"), "this call is itself the delivery of a webhook, and a delivery cannot request a redelivery")
}
