package hooks

import (
	"net/http"

	"understudy.example/internal/api"
)

// Messages of problems (service.md, "Errors").
const (
	blank        = "can't be blank"
	invalid      = "is invalid"
	notHeader    = "colon separated key value pair"
	limitReached = "limit of 10 active subscriptions reached"
	fullUp       = "limit of 1000 subscriptions reached" // of no field: under "base"
	notActive    = "subscription is not active"
)

// problems are what is wrong with each field.
type problems map[string][]string

func (p problems) add(field, message string) { p[field] = append(p[field], message) }

// refusal is the answer that lists the problems; nil when there are none.
func (p problems) refusal() error {
	if len(p) == 0 {
		return nil
	}
	return &api.Error{Status: http.StatusUnprocessableEntity, Body: p}
}

func badRequest() *api.Error {
	return &api.Error{Status: http.StatusBadRequest, Body: api.HookErrors(http.StatusBadRequest, "Bad Request")}
}

func notFound() *api.Error {
	return &api.Error{Status: http.StatusNotFound, Body: api.HookErrors(http.StatusNotFound, "Not Found")}
}
