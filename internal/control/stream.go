package control

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/feed"
	"understudy.example/internal/storage"
)

// heartbeat is how often a silent stream shows that it lives, in real time.
const heartbeat = 15 * time.Second

// streamBatch is how many entries are read at once.
const streamBatch = 500

// Stream is `GET /tenants/{t}/stream`: the feed as server-sent events, from
// the beginning, or from after the Last-Event-ID header or ?after=, where
// `now` leaves out what was before. Each event's id is its cursor.
func Stream(db storage.DB, entries *feed.Feed) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		query, err := readStream(r, entries)
		if err != nil {
			return err
		}
		query.TenantID, query.Limit = tenant.ID, streamBatch
		watch := entries.Watch(tenant.ID)
		defer watch.Stop()
		beat := time.NewTicker(heartbeat)
		defer beat.Stop()
		out := http.NewResponseController(w)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusOK)
		// A client that never sees an event can come back to this place.
		fmt.Fprintf(w, "id: %s\n\n", query.After)
		for {
			more, err := send(w, r, entries, &query)
			if err != nil || out.Flush() != nil {
				return nil // the answer has begun: the client comes back
			}
			if more {
				continue
			}
			select {
			case <-watch.Grown:
			case <-beat.C:
				fmt.Fprint(w, ": heartbeat\n\n")
			case <-entries.Closed():
				return nil
			case <-r.Context().Done():
				return nil
			}
		}
	}
}

// send writes the entries after the query's cursor, moves it on, and tells
// whether there may be more.
func send(w http.ResponseWriter, r *http.Request, entries *feed.Feed, query *feed.Query) (more bool, err error) {
	found, err := entries.List(r.Context(), *query)
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
		query.After = entry.Cursor
	}
	return len(found) == query.Limit, nil
}

// readStream reads what is to be streamed. The place that a client came to
// counts more than the one that its address names.
func readStream(r *http.Request, entries *feed.Feed) (feed.Query, error) {
	values := r.URL.Query()
	live := values.Get("after") == "now"
	if live {
		values.Del("after")
	}
	query, err := readFeedQuery(values)
	if err != nil {
		return feed.Query{}, err
	}
	if last := r.Header.Get("Last-Event-Id"); last != "" {
		after, ok := feed.ParseCursor(last)
		if !ok {
			return feed.Query{}, api.BadRequest("Last-Event-ID: not a cursor of this feed")
		}
		query.After = after
		return query, nil
	}
	if live {
		query.After, err = entries.End(r.Context())
	}
	return query, err
}
