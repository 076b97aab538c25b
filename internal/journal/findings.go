package journal

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/feed"
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
		find := func() ([]Finding, error) { return FindingsOf(r.Context(), db, tenant.ID) }
		if about != nil {
			find = func() ([]Finding, error) { return findingsAbout(r.Context(), db, tenant.ID, *about) }
		}
		found, err := find()
		if err != nil {
			return err
		}
		if accepts(r, "application/xml") {
			return writeJUnit(w, tenant.Name, found, tenant.Time(now()))
		}
		return api.Write(w, http.StatusOK, map[string]any{"findings": found})
	}
}

// FindingsOf returns the findings about the tenant's clients, in the order of the rules.
func FindingsOf(ctx context.Context, db storage.DB, tenantID uuid.UUID) ([]Finding, error) {
	return findingsBy(func(rule rule) (evidence, error) { return rule.find(ctx, db, tenantID) })
}

// findingsBy returns the findings of the rules for which find returns evidence.
func findingsBy(find func(rule rule) (evidence, error)) ([]Finding, error) {
	found := []Finding{}
	for _, rule := range rules {
		evidence, err := find(rule)
		if err != nil {
			return nil, fmt.Errorf("check %s: %w", rule.name, err)
		}
		if evidence.Count > 0 {
			found = append(found, Finding{rule.name, rule.message, rule.advice, evidence.Count, evidence.IDs})
		}
	}
	return found, nil
}

// findingsAbout returns the findings about a call: the rules that it broke. The call
// can be unknown.
func findingsAbout(ctx context.Context, db storage.DB, tenantID, id uuid.UUID) ([]Finding, error) {
	found, err := storage.All[struct {
		XID, Seq uint64
		Route    string
	}](ctx, db, `
		select xid, seq, route
		from calls
		where tenant_id = @tenant_id
		and id = @id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "id": id})
	if err != nil {
		return nil, fmt.Errorf("find call: %w", err)
	}
	return findingsBy(func(rule rule) (evidence, error) {
		for _, call := range found {
			if possible := regexp.MustCompile(rule.routes).MatchString(call.Route); !possible {
				continue
			}
			if broke, err := rule.has(ctx, db, tenantID, feed.Cursor{XID: call.XID, Seq: call.Seq}); err != nil || broke {
				return evidence{1, []string{id.String()}}, err
			}
		}
		return evidence{}, nil
	})
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
