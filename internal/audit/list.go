package audit

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/storage"
)

// entry is a call of the control API that changed something, or was meant to.
type entry struct {
	ID            int64
	At            time.Time
	Token         string
	RemoteAddress string
	RequestID     string
	Method        string
	Path          string
	Tenant        string
	Status        *int
}

type entryBody struct {
	ID            int64    `json:"id"`
	At            api.Time `json:"at"`
	Token         string   `json:"token"`
	RemoteAddress string   `json:"remote_address"`
	RequestID     string   `json:"request_id"`
	Method        string   `json:"method"`
	Path          string   `json:"path"`
	Tenant        string   `json:"tenant"`
	Status        *int     `json:"status"`
}

// List is `GET /audit`, newest first.
func List(db storage.DB, budget *api.Budget) api.Handler {
	type page struct {
		Entries []entryBody `json:"entries"`
		Before  int64       `json:"before,omitempty"` // where the next page begins
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		var tenant, token *string
		var since, until *time.Time
		var before *int64
		limit := 100
		text := func(to **string) func(string) bool {
			return func(value string) bool { *to = &value; return true }
		}
		err := api.ReadQuery(r.URL.Query(), map[string]func(string) bool{
			"tenant": text(&tenant),
			"token":  text(&token),
			"since":  api.ParseInstant(&since),
			"until":  api.ParseInstant(&until),
			"limit":  api.ParseLimit(&limit),
			"before": func(value string) bool {
				id, err := strconv.ParseInt(value, 10, 64)
				before = &id
				return err == nil && id > 0
			},
		})
		if err != nil {
			return err
		}
		found, err := storage.All[entry](r.Context(), db, `
			select id, at, token, remote_address, request_id, method, path, tenant, status
			from audit_entries
			where (@tenant::text is null or tenant = @tenant)
			and (@token::text is null or token = @token)
			and (@since::timestamptz is null or at >= @since)
			and (@until::timestamptz is null or at < @until)
			and (@before::bigint is null or id < @before)
			order by id desc
			limit @limit + 1`,
			pgx.StrictNamedArgs{"tenant": tenant, "token": token, "since": since, "until": until, "before": before, "limit": limit})
		if err != nil {
			return fmt.Errorf("list audit entries: %w", err)
		}
		response := page{Entries: make([]entryBody, min(len(found), limit))}
		for i := range response.Entries {
			e := found[i]
			response.Entries[i] = entryBody{e.ID, api.Time(e.At), e.Token, e.RemoteAddress, e.RequestID, e.Method, e.Path, e.Tenant, e.Status}
		}
		if len(found) > limit {
			response.Before = found[limit-1].ID
		}
		return api.WriteWithin(w, r, budget, uuid.Nil, response)
	}
}
