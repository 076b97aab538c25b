package control

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"understudy.example/internal/api"
	"understudy.example/internal/junit"
)

// writeJUnit answers with the findings as a test report: a case for each rule.
func writeJUnit(w http.ResponseWriter, tenant string, found []finding, now time.Time) error {
	name := "understudy." + tenant
	cases := make([]junit.Case, len(rules))
	for i, rule := range rules {
		cases[i] = junit.Case{Name: rule.name, Class: name}
		for _, f := range found {
			if f.Rule == rule.name {
				cases[i].Failure = &junit.Detail{
					Summary: fmt.Sprintf("%s (%d times)", f.Message, f.Count),
					Text: f.Advice + "\nEvidence:\n" + strings.Join(f.Evidence, "\n"),
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
