package hooks

import (
	"maps"
	"net/http"
	"slices"

	"understudy.example/internal/api"
)

// Messages of field errors (service.md, "Errors").
const (
	blank         = "can't be blank"
	invalid       = "is invalid"
	invalidHeader = "colon separated key value pair"
	tooManyActive = "limit of 10 active subscriptions reached"
	tooManyHooks  = "limit of 1000 subscriptions reached" // under "base", since it concerns no field
	notActive     = "subscription is not active"
)

// fixes are the hints for the messages.
var fixes = map[string]string{
	blank:         "it is required and must not be blank",
	invalid:       "it must be an absolute http or https URL, a boolean, a list of subject or subject:action, or a string, as the field requires",
	invalidHeader: "it must be one Name: Value pair, with a name that the server does not set itself",
	tooManyActive: "deactivate or delete another subscription first",
	tooManyHooks:  "delete another subscription first",
	notActive:     "set active to true first",
}

// fieldErrors are the error messages by field.
type fieldErrors map[string][]string

func (e fieldErrors) add(field, message string) { e[field] = append(e[field], message) }

// asError returns the 422 that lists the errors; nil if there are none.
func (e fieldErrors) asError() error {
	if len(e) == 0 {
		return nil
	}
	field := slices.Min(slices.Collect(maps.Keys(e)))
	return api.NewErrorBody(http.StatusUnprocessableEntity, e, field+" "+e[field][0]+": "+fixes[e[field][0]])
}

func badRequest(hint string) *api.Error {
	return api.NewErrorBody(http.StatusBadRequest, api.HookErrors(http.StatusBadRequest, "Bad Request"), hint)
}

func notFound() *api.Error {
	return api.NewErrorBody(http.StatusNotFound, api.HookErrors(http.StatusNotFound, "Not Found"),
		"the tenant has no subscription, or no request of it, with this id")
}
