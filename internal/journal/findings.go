package journal

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/junit"
	"understudy.example/internal/storage"
)

// Finding is a mistake that the tenant's clients made.
type Finding struct {
	Rule     string   `json:"rule"`
	Message  string   `json:"message"`
	Advice   string   `json:"advice"`
	Count    int      `json:"count"`
	Evidence []string `json:"evidence"` // ids of the first calls, delivery attempts or subscriptions, at most maxEvidence
}

// Findings is `GET /tenants/{t}/findings`: the mistakes of the tenant's clients, as
// JSON, or as JUnit XML for `Accept: application/xml`. They are derived from the
// stored calls and delivery attempts.
func Findings(db storage.DB, now func() time.Time) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		var about *uuid.UUID
		if err := api.ReadQuery(r.URL.Query(), map[string]func(string) bool{"request_id": api.ParseUUID(&about)}); err != nil {
			return err
		}
		in := allCalls
		if about != nil {
			if in, err = scopeOf(r.Context(), db, tenant.ID, *about); err != nil {
				return err
			}
		}
		found, err := findings(r.Context(), db, tenant.ID, in)
		if err != nil {
			return err
		}
		if accepts(r, "application/xml") {
			return writeJUnit(w, tenant.Name, found, tenant.Time(now()))
		}
		return api.Write(w, http.StatusOK, map[string]any{"findings": found})
	}
}

// findings returns the findings about the tenant's clients, in the order of the rules.
// If the scope is about one call, it returns only those of the rules that this call
// broke.
func findings(ctx context.Context, db storage.DB, tenantID uuid.UUID, in scope) ([]Finding, error) {
	inCalls, err := findCalls(ctx, db, tenantID, in)
	if err != nil {
		return nil, err
	}
	found := []Finding{}
	for _, rule := range rules {
		broken := inCalls[rule.name]
		if rule.elsewhere != nil && in.about == nil {
			if broken, err = rule.elsewhere(ctx, db, tenantID); err != nil {
				return nil, fmt.Errorf("check %s: %w", rule.name, err)
			}
		}
		if broken.Count > 0 {
			found = append(found, Finding{rule.name, rule.message, rule.advice, broken.Count, broken.IDs})
		}
	}
	return found, nil
}

// scopeOf returns the scope of the call with the id, which is empty if the call is
// unknown.
func scopeOf(ctx context.Context, db storage.DB, tenantID, id uuid.UUID) (scope, error) {
	call, err := storage.One[struct{ XID, Seq uint64 }](ctx, db, `
		select xid, seq
		from calls
		where tenant_id = @tenant_id
		and last_id >= @id
		and first_id <= @id
		and id = @id
		order by xid desc, seq desc
		limit 1`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "id": id})
	if errors.Is(err, pgx.ErrNoRows) {
		return scope{allCalls.calls + " and false", nil, &id}, nil
	}
	if err != nil {
		return scope{}, fmt.Errorf("find call: %w", err)
	}
	return callsNear(id, call.XID, call.Seq), nil
}

// accepts reports whether the Accept header names the content type.
func accepts(r *http.Request, contentType string) bool {
	for _, value := range r.Header.Values("Accept") {
		for one := range strings.SplitSeq(value, ",") {
			one, _, _ = strings.Cut(one, ";")
			if strings.EqualFold(strings.TrimSpace(one), contentType) {
				return true
			}
		}
	}
	return false
}

// writeJUnit writes the findings as a test report with a test case for each
// rule.
func writeJUnit(w http.ResponseWriter, tenant string, found []Finding, now time.Time) error {
	name := "understudy." + tenant
	cases := make([]junit.Case, len(rules))
	for i, rule := range rules {
		cases[i] = junit.Case{Name: rule.name, Class: name}
		for _, f := range found {
			if f.Rule == rule.name {
				cases[i].Failure = &junit.Detail{
					Summary: fmt.Sprintf("%s (%d times)", f.Message, f.Count),
					Text:    f.Advice + "\nEvidence:\n" + strings.Join(f.Evidence, "\n"),
				}
			}
		}
	}
	var text strings.Builder
	if err := junit.Write(&text, name, now, cases); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/xml")
	return api.Write(w, http.StatusOK, api.Text(text.String()))
}
