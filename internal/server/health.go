package server

import (
	"context"
	"net/http"
	"time"

	"understudy.example/internal/api"
	"understudy.example/internal/storage"
)

type healthBody struct {
	Status string `json:"status"`
}

// liveness is `GET /livez`: it responds as long as the process runs.
func liveness(w http.ResponseWriter, _ *http.Request) error {
	return api.Write(w, http.StatusOK, healthBody{"ok"})
}

// readiness is `GET /readyz`: 200 while the server accepts calls, that is, while it
// can reach its database and is not stopping.
func readiness(db storage.DB, requests *Requests) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if requests.Stopping() {
			return api.NewControlError(http.StatusServiceUnavailable, "Service Unavailable").WithHeader("Retry-After", "1")
		}
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		if _, err := db.Exec(ctx, "select 1"); err != nil {
			return err
		}
		return api.Write(w, http.StatusOK, healthBody{"ok"})
	}
}
