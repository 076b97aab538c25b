package hooks

import (
	"net/http"

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

// fieldErrors are the error messages by field.
type fieldErrors map[string][]string

func (e fieldErrors) add(field, message string) { e[field] = append(e[field], message) }

// asError returns the 422 that lists the errors; nil if there are none.
func (e fieldErrors) asError() error {
	if len(e) == 0 {
		return nil
	}
	return &api.Error{Status: http.StatusUnprocessableEntity, Body: e}
}

func badRequest() *api.Error {
	return &api.Error{Status: http.StatusBadRequest, Body: api.HookErrors(http.StatusBadRequest, "Bad Request")}
}

func notFound() *api.Error {
	return &api.Error{Status: http.StatusNotFound, Body: api.HookErrors(http.StatusNotFound, "Not Found")}
}
