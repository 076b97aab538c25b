package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
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

// readyTimeout is how long a dependency may take to respond.
const readyTimeout = 2 * time.Second

// readiness is `GET /readyz`: 200 while the server accepts calls, that is, while it
// can reach its database, can write to its object store, and is not stopping.
func readiness(db storage.DB, objects *storage.Store, requests *Requests) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if requests.Stopping() {
			return notReady("server", "stopping")
		}
		ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
		defer cancel()
		if _, err := db.Exec(ctx, "select 1"); err != nil {
			slog.WarnContext(ctx, "the database is not ready", "err", err)
			return notReady("database", "unavailable")
		}
		err := objects.Ready(ctx)
		if store := new(storage.StoreError); errors.As(err, &store) {
			return notReady("object_store", store.State)
		}
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusOK, healthBody{"ok"})
	}
}

// notReadyBody is the body of a 503 response of readiness.
type notReadyBody struct {
	Message  string            `json:"message"`
	NotReady map[string]string `json:"not_ready"` // state by dependency
}

func notReady(dependency, state string) *api.Error {
	body := notReadyBody{"Service Unavailable", map[string]string{dependency: state}}
	return api.NewErrorBody(http.StatusServiceUnavailable, body, "the "+strings.ReplaceAll(dependency, "_", " ")+" is "+state+": retry").WithHeader("Retry-After", "1")
}
