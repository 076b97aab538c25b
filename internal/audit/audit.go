// Package audit records who has changed what through the control API. An entry is
// written before the call takes effect, so that no change is without one, and gets its
// status when the call ends. Calls that only read are not recorded.
package audit

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5/middleware"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/call"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
)

// Maximum lengths in bytes of the path and of the tenant's name in an entry. The name is
// indexed, and no tenant has a longer one.
const (
	maxPath   = 2 << 10
	maxTenant = 255
)

// At least maxEntries entries are kept, and at most trimInterval more.
const (
	maxEntries   = 100_000
	trimInterval = 1_000
)

// Record returns the handler of the route with entries for its calls, unless they only
// read. If an entry cannot be written, the call is not made. remoteAddress returns the
// client's address, and now the real time.
func Record(db storage.DB, remoteAddress func(*http.Request) string, now func() time.Time, rt route.Route, handler http.Handler) http.Handler {
	if rt.Method == http.MethodGet {
		return handler
	}
	return api.Serve(api.MessageErrors, storage.UnavailableReason, func(w http.ResponseWriter, r *http.Request) error {
		id, err := begin(r, db, remoteAddress(r), now())
		if err != nil {
			return err
		}
		response := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		defer func() {
			end(context.WithoutCancel(r.Context()), db, id, response.Status())
		}()
		handler.ServeHTTP(response, r)
		return nil
	})
}

// begin writes the entry of a call and returns its id.
func begin(r *http.Request, db storage.DB, remoteAddress string, now time.Time) (id int64, err error) {
	record := call.From(r.Context())
	err = db.QueryRow(r.Context(), `
		insert into audit_entries (at, token, remote_address, request_id, method, path, tenant)
		values (@at, @token, @remote_address, @request_id, @method, @path, @tenant)
		returning id`,
		pgx.StrictNamedArgs{
			"at": now, "token": record.ControlToken, "remote_address": remoteAddress, "request_id": record.ResponseHeader.Get("X-Request-Id"),
			"method": r.Method, "path": storable(api.Mask(r.URL.Path), maxPath), "tenant": storable(r.PathValue("t"), maxTenant),
		}).Scan(&id)
	if err != nil {
		return 0, fmt.Errorf("write audit entry: %w", err)
	}
	if id%trimInterval == 0 {
		return id, trim(r.Context(), db, id)
	}
	return id, nil
}

// storable returns the first bytes of a text, in a form that PostgreSQL can store.
func storable(text string, most int) string { return api.ToStorable(text[:min(len(text), most)]) }

// end writes the status of a call, 0 if it has none. If this fails, the entry has no status.
func end(ctx context.Context, db storage.DB, id int64, status int) {
	_, err := db.Exec(ctx, "update audit_entries set status = nullif(@status, 0) where id = @id", pgx.StrictNamedArgs{"id": id, "status": status})
	if err != nil {
		slog.WarnContext(ctx, "writing the status of an audit entry failed", "err", err)
	}
}

// trim deletes all entries but the newest.
func trim(ctx context.Context, db storage.DB, newest int64) error {
	_, err := db.Exec(ctx, "delete from audit_entries where id <= @newest::bigint - @kept::bigint", pgx.StrictNamedArgs{"newest": newest, "kept": maxEntries})
	if err != nil {
		return fmt.Errorf("trim audit entries: %w", err)
	}
	return nil
}
