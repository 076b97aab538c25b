package auth

import (
	"errors"
	"net/http"

	"understudy.example/internal/api"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
)

// RefuseGone wraps the handler of an API route. If the caller's tenant is deleted
// during the call, it responds that the credentials are not valid.
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

// NotFoundIfGone wraps the handler of a control API route. If the tenant is deleted
// during the call, it responds that the tenant was not found.
func NotFoundIfGone(handler api.Handler) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := handler(w, r); !gone(err) {
			return err
		}
		return TenantNotFound()
	}
}

// gone reports whether err means that the tenant was deleted. A foreign key violation
// means that too: only the deletion of a tenant deletes rows that new rows refer to
// without locking them.
func gone(err error) bool { return errors.Is(err, ErrTenantGone) || storage.ReferenceGone(err) }
