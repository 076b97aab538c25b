package auth

import (
	"errors"
	"net/http"

	"understudy.example/internal/api"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
)

// RefuseGone returns the handler of a route of the API with one more error: if the
// caller's tenant is deleted during the call, its credentials are no longer valid.
func (g *Gate) RefuseGone(rt route.Route, handler api.Handler) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		err := handler(w, r)
		switch {
		case !gone(err):
			return err
		case rt.Family == route.OAuth:
			return invalidClient("the client was deleted during the call")
		}
		return invalidToken(api.ErrorFormatOf(rt.Family), g.keys.Environment, clientGone)
	}
}

// NotFoundIfGone returns the handler of a route of the control API with one more error:
// if the tenant is deleted during the call, it is not found.
func NotFoundIfGone(handler api.Handler) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := handler(w, r); !gone(err) {
			return err
		}
		return TenantNotFound()
	}
}

// gone reports whether err means that the tenant was deleted: only its deletion deletes a
// row that new rows refer to without being locked.
func gone(err error) bool { return errors.Is(err, ErrTenantGone) || storage.ReferenceGone(err) }
