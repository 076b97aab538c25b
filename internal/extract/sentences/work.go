package sentences

import (
	"strings"

	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

var (
	noWork = vocabulary.Pattern(`(?i)\b{{work.no work}}\b`)
	isWork = vocabulary.Pattern(`(?i)\b{{work.people}}\s+(?:{{work.can}}\s+)*{{work.works}}\b`)
	doing  = vocabulary.Pattern(`(?i)\b{{work.doing}}\b`)
)

// stateWork extracts, from a sentence, the places where the employees work or do not
// work.
func stateWork(d *candidate.Set, text string, at source.Place) {
	for part := range strings.SplitSeq(text, ". ") {
		answer := ""
		switch {
		case strings.Contains(part, "?") || len(part) > 500:
		case noWork.MatchString(part) && doing.MatchString(part):
			answer = "No"
		case isWork.MatchString(part):
			answer = "Yes"
		}
		if answer == "" {
			continue
		}
		key := strings.Join(strings.Fields(words.Spread(part)), " ")
		for _, q := range vocabulary.Indicators() {
			place := q.Place
			if !place && (!workDone[q.Field] || answer == "Yes" && !strings.Contains(key, "undertake") && !strings.Contains(key, "carr")) || !q.Asked(key) {
				continue
			}
			if answer == "Yes" && place && !strings.Contains(key, " at ") && !strings.Contains(key, " in ") && !strings.Contains(key, " on ") {
				continue
			}
			d.Propose(q.Field, answer, source.Prose, 0.85, at)
		}
	}
}

// workDone are the indicators of work that a sentence can deny or state.
var workDone = words.Set("does_any_employee_do_gas_exploration_work", "does_any_employee_undertakes_demolition_work",
	"does_any_employee_undertakes_work_involving_roofing_scafolding_abseiling_cradles", "does_any_employee_works_with_heat_fire")
