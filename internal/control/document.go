package control

import (
	"net/http"
	"strconv"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/document/view"
	"understudy.example/internal/storage"
	"understudy.example/internal/universal"
)

// TransactionDocument is `GET /tenants/{t}/transactions/{tx_id}/document`: a window of the parsed
// document.
func TransactionDocument(db storage.DB, budget *api.Budget, processor *universal.Processor) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		query := view.Query{Bytes: view.MaxBytes}
		number := func(to *int, lowest, highest int) func(string) bool {
			return func(value string) (ok bool) {
				*to, err = strconv.Atoi(value)
				return err == nil && *to >= lowest && *to <= highest
			}
		}
		err = api.ReadQuery(r.URL.Query(), map[string]func(string) bool{
			"part":  number(&query.Part, 0, 1_000_000),
			"page":  number(&query.Page, 1, 1_000_000),
			"bytes": number(&query.Bytes, 1, view.MaxBytes),
			"from":  func(value string) (ok bool) { query.From, ok = view.ParseCursor(value); return ok },
			"place": func(value string) bool { query.Place = value; return value != "" },
			"text":  func(value string) bool { query.Text = value; return true },
		})
		if err != nil {
			return err
		}
		window, err := processor.View(r.Context(), db, tenant.ID, r.PathValue("tx_id"), query)
		if err != nil {
			return err
		}
		return api.WriteWithin(w, r, budget, tenant.ID, window)
	}
}
