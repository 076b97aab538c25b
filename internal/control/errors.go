package control

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"understudy.example/internal/api"
)

func unauthorized() *api.Error {
	return api.NewError(http.StatusUnauthorized, "Unauthorized",
		"send Authorization: Bearer with the control token (--control-token, CONTROL_TOKEN)").
		WithHeader("Www-Authenticate", `Bearer realm="control"`)
}

func hostNotAllowed(host string) *api.Error {
	return api.NewControlError(http.StatusForbidden, fmt.Sprintf("Host %q is not allowed: add it to CONTROL_HOSTS", host))
}

func isDelivery() *api.Error {
	return api.NewControlError(http.StatusForbidden, "This is the delivery of a webhook: the control listener receives none")
}

func crossSite() *api.Error {
	return api.NewControlError(http.StatusForbidden, "Cross-site calls are not allowed")
}

func contentTypeNotJSON() *api.Error {
	return api.NewControlError(http.StatusUnsupportedMediaType, "Content-Type must be application/json")
}

func notFound() *api.Error {
	return api.NewError(http.StatusNotFound, "Not Found", "the control API has nothing at this path or with this id: see /control/v1/openapi.json")
}

func nameTaken(name string) *api.Error {
	return api.NewControlError(http.StatusConflict, fmt.Sprintf("name: tenant %q already exists", name))
}

func clientNotFound() *api.Error {
	return api.NewControlError(http.StatusNotFound, "Client not found")
}

func apiKeyTaken() *api.Error {
	return api.NewControlError(http.StatusConflict, "key: the API key already exists")
}

func apiKeyNotFound() *api.Error {
	return api.NewControlError(http.StatusNotFound, "API key not found")
}

func deliveryNotFound() *api.Error {
	return api.NewControlError(http.StatusNotFound, "Delivery not found")
}

// clockNotMovedBack is the response to setting a clock that shows now to an earlier
// time.
func clockNotMovedBack(now time.Time) *api.Error {
	return api.NewControlError(http.StatusConflict,
		fmt.Sprintf("set: the clock shows %s and is never moved back; a reset of the tenant restores real time", api.Time(now)))
}

// tenantWasReset is the response to a move of a clock during which the tenant was reset.
func tenantWasReset() *api.Error {
	return api.NewControlError(http.StatusConflict, "The tenant was reset during the call")
}

// tooManySteps is the response to a clock advance with more than maxSteps due times.
func tooManySteps() *api.Error {
	return api.NewControlError(http.StatusConflict, fmt.Sprintf("Work became due more than %d times; the clock was not advanced any further", maxSteps))
}

// workNotDone is the response to a clock advance whose work is not done in time.
func workNotDone() *api.Error {
	return api.NewControlError(http.StatusServiceUnavailable, "Timeout: the tenant's due work is not done; the clock was not advanced any further").WithHeader("Retry-After", "1")
}

func methodNotAllowed(allowed []string) *api.Error {
	list := strings.Join(allowed, ", ")
	return api.NewError(http.StatusMethodNotAllowed, "Method Not Allowed", "this path accepts "+list).WithHeader("Allow", list)
}

// stopping is the response to a call that waited when the server began to stop.
func stopping() *api.Error {
	return api.NewControlError(http.StatusServiceUnavailable, "Service Unavailable").WithHeader("Retry-After", "1")
}

// probesBusy is the response to a probe while too many are running.
func probesBusy() *api.Error {
	return api.NewControlError(http.StatusServiceUnavailable, "Too many probes are running, of this tenant or on this server: retry when one has ended").WithHeader("Retry-After", "1")
}
