package control

import (
	"fmt"
	"net/http"

	"understudy.example/internal/api"
)

func unauthorized() *api.Error {
	return &api.Error{
		Status: http.StatusUnauthorized,
		Header: http.Header{"Www-Authenticate": {`Bearer realm="control"`}},
		Body:   api.MessageErrors(http.StatusUnauthorized, "Unauthorized"),
	}
}

func hostNotAllowed(host string) *api.Error {
	return api.NewError(http.StatusForbidden, fmt.Sprintf("Host %q is not allowed: add it to CONTROL_HOSTS", host))
}

func crossSite() *api.Error {
	return api.NewError(http.StatusForbidden, "Cross-site calls are not allowed")
}

func contentTypeNotJSON() *api.Error {
	return api.NewError(http.StatusUnsupportedMediaType, "Content-Type must be application/json")
}

func notFound() *api.Error { return api.NewError(http.StatusNotFound, "Not Found") }

func nameTaken(name string) *api.Error {
	return api.NewError(http.StatusConflict, fmt.Sprintf("name: tenant %q already exists", name))
}

func packageTaken(id string) *api.Error {
	return api.NewError(http.StatusConflict, fmt.Sprintf("id: data package %q already exists", id))
}

// packageNotDeletable is the response to the deletion of a default package, which a
// reset keeps.
func packageNotDeletable() *api.Error {
	return api.NewError(http.StatusConflict, "A data package with which the tenant was created cannot be deleted")
}

// tenantWasReset is the response to a clock advance during which the tenant was reset.
func tenantWasReset() *api.Error {
	return api.NewError(http.StatusConflict, "The tenant was reset during the call")
}

// tooManySteps is the response to a clock advance with more than maxSteps due times.
func tooManySteps() *api.Error {
	return api.NewError(http.StatusConflict, fmt.Sprintf("Work became due more than %d times; the clock was not advanced any further", maxSteps))
}

// workNotDone is the response to a clock advance whose work is not done in time.
func workNotDone() *api.Error {
	return api.NewError(http.StatusServiceUnavailable, "Timeout: the tenant's due work is not done; the clock was not advanced any further")
}
