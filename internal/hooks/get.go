package hooks

import (
	"net/http"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
)

// Get is `GET /hooks/{hook_id}`.
func Get(db storage.DB, gate *auth.Gate, rt route.Route, seal *Seal) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
		if err != nil {
			return err
		}
		found, err := find(r.Context(), db, caller.TenantID, r.PathValue("hook_id"))
		if err != nil {
			return err
		}
		body, err := newHookBody(r.Context(), seal, found)
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusOK, body)
	}
}
