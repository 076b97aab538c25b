package control

import (
	"fmt"
	"net/http"
	"strings"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// finding is something that a client does and should not.
type finding struct {
	Rule     string   `json:"rule"`
	Message  string   `json:"message"`
	Advice   string   `json:"advice"`
	Count    int      `json:"count"`
	Evidence []string `json:"evidence"` // request ids, of deliveries their ids; the first few
}

// Findings is `GET /tenants/{t}/findings`: what the tenant's clients do and
// should not, as JSON, or as JUnit XML for `Accept: application/xml`. It is
// drawn from the journal, and so reaches as far back as that does.
func Findings(db storage.DB, gate *auth.Gate) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := tenantOf(r, db)
		if err != nil {
			return err
		}
		found := []finding{}
		for _, rule := range rules {
			evidence, err := rule.find(r.Context(), db, tenant.ID)
			if err != nil {
				return fmt.Errorf("grade by %s: %w", rule.name, err)
			}
			if evidence.Count > 0 {
				found = append(found, finding{rule.name, rule.message, rule.advice, evidence.Count, evidence.IDs})
			}
		}
		if accepts(r, "application/xml") {
			return writeJUnit(w, tenant.Name, found, tenant.Time(gate.Now()))
		}
		return api.Write(w, http.StatusOK, map[string]any{"findings": found})
	}
}

// accepts tells whether the request names the content type, which is not the
// default.
func accepts(r *http.Request, kind string) bool {
	for _, value := range r.Header.Values("Accept") {
		for one := range strings.SplitSeq(value, ",") {
			one, _, _ = strings.Cut(one, ";")
			if strings.EqualFold(strings.TrimSpace(one), kind) {
				return true
			}
		}
	}
	return false
}
