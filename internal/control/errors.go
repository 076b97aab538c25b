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
	return api.NewError(http.StatusForbidden, fmt.Sprintf("Host %q is not allowed: CONTROL_HOSTS can allow it", host))
}

func crossSite() *api.Error {
	return api.NewError(http.StatusForbidden, "Cross-site calls are not allowed")
}

func notJSON() *api.Error {
	return api.NewError(http.StatusUnsupportedMediaType, "Content-Type must be application/json")
}

func notFound() *api.Error { return api.NewError(http.StatusNotFound, "Not Found") }

func nameTaken(name string) *api.Error {
	return api.NewError(http.StatusConflict, fmt.Sprintf("name: there is a tenant %q already", name))
}

func packageTaken(id string) *api.Error {
	return api.NewError(http.StatusConflict, fmt.Sprintf("id: the tenant has a data package %q already", id))
}

// packageStays is the answer to dropping a package that a reset keeps.
func packageStays() *api.Error {
	return api.NewError(http.StatusConflict, "The tenant was made with this data package")
}

// tenantWasReset is the response to an advance of a clock during which the tenant
// was reset.
func tenantWasReset() *api.Error {
	return api.NewError(http.StatusConflict, "The tenant was reset meanwhile")
}

// tooManySteps is the answer to a clock at which ever more falls due.
func tooManySteps() *api.Error {
	return api.NewError(http.StatusConflict, fmt.Sprintf("More than %d moments fell due; the clock was moved up to the last of them", maxSteps))
}

// notSettled is the answer to a clock whose tenant's work does not come to an
// end in time.
func notSettled() *api.Error {
	return api.NewError(http.StatusServiceUnavailable, "The tenant's work is not done yet; the clock was moved up to it")
}
