package sentences

import (
	"strings"

	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

var (
	noWork = lazyregexp.New(`(?i)\b(?:no (?:work|employees?|staff|operatives|exposure|activit(?:y|ies))|(?:do|does|will|have|has|did) (?:not|never)|don['’]t|doesn['’]t|never|none of (?:our|the|its) (?:staff|employees|people|work)|not (?:undertake|involved|engaged|carry out|work))\b`)
	isWork = lazyregexp.New(`(?i)\b(?:employees?|staff|engineers?|operatives|fitters|technicians|crews?|teams?|we|they|work is)\s+(?:(?:will|may|also|regularly|occasionally|sometimes|routinely|do|can)\s+)*(?:works?|attends?|visits?|working|undertaken|carried out|carry out|undertake)\b`)
	doing  = lazyregexp.New(`(?i)\b(?:work|works|working|undertake|undertakes|undertaken|carry|carried|perform|performed|engage|engaged|involved|visit|attend|exposure|place)\b`)
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
