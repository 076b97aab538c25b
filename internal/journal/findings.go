package journal

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/junit"
	"understudy.example/internal/storage"
)

// finding is a mistake that the tenant's clients made.
type finding struct {
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
		found := []finding{}
		for _, rule := range rules {
			evidence, err := rule.find(r.Context(), db, tenant.ID)
			if err != nil {
				return fmt.Errorf("check %s: %w", rule.name, err)
			}
			if evidence.Count > 0 {
				found = append(found, finding{rule.name, rule.message, rule.advice, evidence.Count, evidence.IDs})
			}
		}
		if accepts(r, "application/xml") {
			return writeJUnit(w, tenant.Name, found, tenant.Time(now()))
		}
		return api.Write(w, http.StatusOK, map[string]any{"findings": found})
	}
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
func writeJUnit(w http.ResponseWriter, tenant string, found []finding, now time.Time) error {
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
