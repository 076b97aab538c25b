package control

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/feed"
	"understudy.example/internal/storage"
)

// How long a call waits for an event, in real time.
const (
	defaultWithin = 5 * time.Second
	MaxWithin     = time.Minute
)

// maxSeen is the maximum number of entries in the response after a timeout.
const maxSeen = 100

// Await is `GET /tenants/{t}/await`: it returns the first entry of the feed that
// matches the event, and the transaction if the call names one, as soon as there is
// one. If there is none in time, it returns a 408 response with the entries seen
// instead.
func Await(db storage.DB, entries *feed.Feed) api.Handler {
	type timeout struct {
		Message string       `json:"message"`
		Seen    []feed.Entry `json:"seen"`
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		query, within, err := readAwait(r.URL.Query(), tenant.ID)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(r.Context(), within)
		defer cancel()
		reading, cancelReading := context.WithTimeout(r.Context(), within+readTime)
		defer cancelReading()
		watch := entries.Watch(tenant.ID)
		defer watch.Stop()
		next := query
		for {
			found, err := entries.ListNext(reading, &next)
			if err != nil {
				return err
			}
			if len(found) > 0 {
				return api.Write(w, http.StatusOK, found[0])
			}
			select {
			case <-watch.Grown:
				continue
			case <-entries.Closed():
				return stopping()
			case <-ctx.Done():
			}
			if r.Context().Err() != nil {
				return r.Context().Err()
			}
			break
		}
		seen, err := entries.List(reading, feed.Query{
			Filter: feed.Filter{TenantID: tenant.ID, After: query.After, TxID: query.TxID}, Limit: maxSeen, Newest: true,
		})
		if err != nil {
			return err
		}
		message := "No matching event within " + within.String()
		return api.NewErrorBody(http.StatusRequestTimeout, timeout{message, seen}, message+": the entries seen are in the body")
	}
}

// readTime is how long reading entries may take longer than the call waits for them.
const readTime = 5 * time.Second

// readAwait reads the query, and the time to wait.
func readAwait(values url.Values, tenantID uuid.UUID) (feed.Query, time.Duration, error) {
	within := defaultWithin
	if given := values.Get("within"); given != "" {
		var err error
		if within, err = time.ParseDuration(given); err != nil || within < 0 || within > MaxWithin {
			return feed.Query{}, 0, api.BadRequest("within: want a duration such as 5s, at most %s", MaxWithin)
		}
	}
	query, err := readFeedQuery(values, "within")
	if err != nil {
		return feed.Query{}, 0, err
	}
	if query.Event == "" {
		return feed.Query{}, 0, api.BadRequest("event is required: subject:action, subject, call, delivery or *")
	}
	query.TenantID, query.Limit = tenantID, 1
	return query, within, nil
}

// readFeedQuery reads the parameters event, tx_id and after. It rejects other
// parameters, except for the allowed ones.
func readFeedQuery(values url.Values, others ...string) (feed.Query, error) {
	known := append([]string{"event", "tx_id", "after"}, others...)
	if err := checkParameters(values, known); err != nil {
		return feed.Query{}, err
	}
	query := feed.Query{Filter: feed.Filter{Event: values.Get("event"), TxID: values.Get("tx_id")}}
	if after := values.Get("after"); after != "" {
		var ok bool
		if query.After, ok = feed.ParseCursor(after); !ok {
			return feed.Query{}, api.BadRequest("after: invalid cursor")
		}
	}
	return query, nil
}

// checkParameters rejects unknown and repeated parameters.
func checkParameters(values url.Values, known []string) error {
	for name, given := range values {
		if !slices.Contains(known, name) {
			return api.BadRequest("unknown parameter %q", name)
		}
		if len(given) > 1 {
			return api.BadRequest("%s: want one value", name)
		}
	}
	return nil
}
