package control

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/feed"
	"understudy.example/internal/storage"
)

// heartbeat is the interval, in real time, at which a stream sends comments to keep
// the connection open.
const heartbeat = 15 * time.Second

// existenceCheck is the interval, in real time, at which a stream checks that its tenant still exists.
const existenceCheck = time.Second

// streamBatch is the maximum number of entries that are read at once.
const streamBatch = 500

// Stream is `GET /tenants/{t}/stream`: the feed as server-sent events. It starts at
// the beginning, or after the cursor of the Last-Event-ID header or of the parameter
// after; `now` skips earlier entries. The id of an event is its cursor. It ends when the tenant is
// deleted.
func Stream(db storage.DB, entries *feed.Feed) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		query, err := readStreamQuery(r, entries, tenant.ID)
		if err != nil {
			return err
		}
		query.Limit = streamBatch
		watch := entries.Watch(tenant.ID)
		defer watch.Stop()
		beat := time.NewTicker(heartbeat)
		defer beat.Stop()
		check := time.NewTicker(existenceCheck)
		defer check.Stop()
		out := http.NewResponseController(w)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusOK)
		// A client that receives no event can reconnect with this cursor.
		fmt.Fprintf(w, "id: %s\n\n", query.After)
		for {
			more, err := writeEntries(w, r, entries, &query)
			if err != nil || out.Flush() != nil {
				return nil // the response has begun; the client reconnects
			}
			if more {
				continue
			}
			select {
			case <-watch.Grown:
			case <-beat.C:
				fmt.Fprint(w, ": heartbeat\n\n")
			case <-check.C:
				existing, err := auth.Tenants(r.Context(), db, []uuid.UUID{tenant.ID})
				if err == nil && len(existing) == 0 {
					return nil
				}
			case <-entries.Closed():
				return nil
			case <-r.Context().Done():
				return nil
			}
		}
	}
}

// writeEntries writes the entries after the query's cursor, moves the cursor, and
// reports whether there may be more entries.
func writeEntries(w http.ResponseWriter, r *http.Request, entries *feed.Feed, query *feed.Query) (more bool, err error) {
	found, err := entries.ListNext(r.Context(), query)
	if err != nil {
		return false, err
	}
	for _, entry := range found {
		data, err := json.Marshal(entry)
		if err != nil {
			return false, err
		}
		if _, err := fmt.Fprintf(w, "id: %s\nevent: %s\ndata: %s\n\n", entry.Cursor, entry.Event, data); err != nil {
			return false, err
		}
	}
	return len(found) == query.Limit, nil
}

// readStreamQuery reads the query of a stream. The cursor of the Last-Event-ID header,
// which a client sends when it reconnects, takes precedence over the one in the URL.
func readStreamQuery(r *http.Request, entries *feed.Feed, tenantID uuid.UUID) (feed.Query, error) {
	values := r.URL.Query()
	fromNow := values.Get("after") == "now"
	if fromNow {
		values.Del("after")
	}
	query, err := readFeedQuery(values)
	if err != nil {
		return feed.Query{}, err
	}
	query.TenantID = tenantID
	if last := r.Header.Get("Last-Event-Id"); last != "" {
		after, ok := feed.ParseCursor(last)
		if !ok {
			return feed.Query{}, api.BadRequest("Last-Event-ID: invalid cursor")
		}
		query.After = after
		return query, nil
	}
	if fromNow {
		query.After, err = entries.End(r.Context(), tenantID)
	}
	return query, err
}
