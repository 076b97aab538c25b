package control

import (
	"net/http"
	"slices"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/feed"
	"understudy.example/internal/storage"
)

// feedKinds are the kinds by which the feed can be listed.
var feedKinds = []string{"state", "call", "delivery"}

// Feed is `GET /tenants/{t}/feed`: a page of the feed, newest first.
func Feed(db storage.DB, entries *feed.Feed, budget *api.Budget) api.Handler {
	type page struct {
		Entries []feed.Entry `json:"entries"`
		Before  string       `json:"before,omitempty"` // cursor of the next page
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		limit := 100
		query := feed.Query{Filter: feed.Filter{TenantID: tenant.ID}, Newest: true}
		err = api.ReadQuery(r.URL.Query(), map[string]func(string) bool{
			"kind":   func(value string) bool { query.Kind = value; return slices.Contains(feedKinds, value) },
			"tx_id":  func(value string) bool { query.TxID = api.CanonicalID(value); return true },
			"limit":  api.ParseLimit(&limit),
			"before": func(value string) (ok bool) { query.Before, ok = feed.ParseCursor(value); return ok },
		})
		if err != nil {
			return err
		}
		query.Limit = limit + 1
		found, err := entries.List(r.Context(), query)
		if err != nil {
			return err
		}
		slices.Reverse(found)
		body := page{Entries: found}
		if len(found) > limit {
			body.Entries = found[:limit]
			body.Before = found[limit-1].Cursor.String()
		}
		return api.WriteWithin(w, r, budget, tenant.ID, body)
	}
}
