package fault

import (
	"encoding/json"
	"errors"
	"net/http"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/call"
	"understudy.example/internal/route"
)

// Intercept is the auth.Interceptor that applies the tenant's faults to a call, the
// oldest first. A fault that responds or drops the connection ends the call; after a
// fault that only delays the call, the next one can act. An *api.Error is the response
// of a fault.
func (in *Injector) Intercept(r *http.Request, tenant auth.Tenant) error {
	faults, err := in.faultsOf(r.Context(), tenant.ID)
	if err != nil {
		return err
	}
	for _, f := range faults {
		if f.Route == "" || f.expired(tenant.Time(in.now())) || !matches(f.Route, r.Method, r.URL.Path) {
			continue
		}
		counted := []match{{fault: f, routes: []string{r.Method + " " + r.Pattern}}}
		if err := in.count(r.Context(), tenant.ID, counted); err != nil {
			return err
		}
		if !counted[0].acts[0] {
			continue
		}
		f.Body = counted[0].body
		if err := f.act(r); err != nil {
			return err
		}
	}
	return nil
}

// act delays the call, drops its connection or returns the response to it.
func (f fault) act(r *http.Request) error {
	record := call.From(r.Context())
	record.Faults = append(record.Faults, f.ID.String())
	record.ResponseHeader.Add("X-Fault", f.ID.String())
	if f.Delay > 0 {
		err := api.Delay(r.Context(), f.Delay)
		if errors.Is(err, api.ErrClientGone) {
			panic(http.ErrAbortHandler) // the client has disconnected
		}
		if err != nil {
			return err
		}
	}
	if f.Dropped {
		panic(http.ErrAbortHandler) // net/http drops the connection
	}
	if f.Status == nil {
		return nil
	}
	return f.response(r.URL.Path)
}

// response returns the fault's response. If the fault has no body, the response has
// the error body of the path's family.
func (f fault) response(path string) *api.Error {
	response := api.NewErrorBody(*f.Status, nil, "the tenant's fault "+f.ID.String()+" made this response")
	if response.Status == http.StatusTooManyRequests || response.Status == http.StatusServiceUnavailable {
		response.WithHeader("Retry-After", "1")
	}
	if f.Body != nil {
		response.Body = json.RawMessage(*f.Body)
		var text string
		if json.Unmarshal([]byte(*f.Body), &text) == nil && *f.Body != "null" {
			response.Body = api.Text(text)
		}
		return response
	}
	message := http.StatusText(response.Status)
	if response.Status == http.StatusInternalServerError {
		message = "Internal server error" // the service's spelling
	}
	response.Body = api.ErrorFormatOf(route.FamilyOf(path))(response.Status, message)
	return response
}
