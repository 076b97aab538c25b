package control

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/feed"
	"understudy.example/internal/storage"
)

// How long to wait for an event, in real time.
const (
	defaultWithin = 5 * time.Second
	MaxWithin     = time.Minute // the longest that may be asked for
)

// mostSeen is how many entries the answer of a vain wait shows.
const mostSeen = 100

// Await is `GET /tenants/{t}/await`: it answers with the first entry of the
// feed that is of the event, and of the transaction if one is named, as soon
// as there is one; and with 408 and what was seen when none came in time.
func Await(db storage.DB, hub *feed.Hub) api.Handler {
	type vain struct {
		Message string      `json:"message"`
		Seen    []feed.Read `json:"seen"`
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := tenantOf(r, db)
		if err != nil {
			return err
		}
		query, within, err := readAwait(r.URL.Query(), tenant.ID)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(r.Context(), within)
		defer cancel()
		watch := hub.Watch(tenant.ID)
		defer watch.Stop()
		for {
			found, err := feed.List(r.Context(), db, query)
			if err != nil {
				return err
			}
			if len(found) > 0 {
				return api.Write(w, http.StatusOK, found[0])
			}
			select {
			case <-watch.Grown:
				continue
			case <-hub.Done():
				return api.NewUnavailableError(api.MessageErrors)
			case <-ctx.Done():
			}
			if r.Context().Err() != nil {
				return r.Context().Err()
			}
			break
		}
		seen, err := feed.List(r.Context(), db, feed.Query{
			TenantID: tenant.ID, After: query.After, TxID: query.TxID, Limit: mostSeen, Newest: true,
		})
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusRequestTimeout, vain{"No such event within " + within.String(), seen})
	}
}

// readAwait reads what is to be waited for, and for how long.
func readAwait(values url.Values, tenantID uuid.UUID) (feed.Query, time.Duration, error) {
	within := defaultWithin
	if given := values.Get("within"); given != "" {
		var err error
		if within, err = time.ParseDuration(given); err != nil || within < 0 || within > MaxWithin {
			return feed.Query{}, 0, badRequest("within: want a duration such as 5s, at most %s", MaxWithin)
		}
	}
	query, err := readFeedQuery(values, "within")
	if err != nil {
		return feed.Query{}, 0, err
	}
	if query.Event == "" {
		return feed.Query{}, 0, badRequest("event is required: subject:action, subject, call, delivery or *")
	}
	query.TenantID, query.Limit = tenantID, 1
	return query, within, nil
}

// readFeedQuery reads event, tx_id and after. Other names than these and also
// are refused.
func readFeedQuery(values url.Values, also ...string) (feed.Query, error) {
	known := append([]string{"event", "tx_id", "after"}, also...)
	if err := onlyKnown(values, known); err != nil {
		return feed.Query{}, err
	}
	query := feed.Query{Event: values.Get("event"), TxID: values.Get("tx_id")}
	if after := values.Get("after"); after != "" {
		var ok bool
		if query.After, ok = feed.ParseCursor(after); !ok {
			return feed.Query{}, badRequest("after: not a cursor of this feed")
		}
	}
	return query, nil
}

// onlyKnown refuses a query with other names, or with a name twice.
func onlyKnown(values url.Values, known []string) error {
	for name, given := range values {
		if !slices.Contains(known, name) {
			return badRequest("unknown parameter %q", name)
		}
		if len(given) > 1 || strings.ContainsRune(given[0], 0) {
			return badRequest("%s: want it once, as text", name)
		}
	}
	return nil
}
