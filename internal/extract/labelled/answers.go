package labelled

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

var (
	yesHead = lazyregexp.New(`(?i)^\W*(?:yes|y|ja|oui)\W*$`)
	noHead  = lazyregexp.New(`(?i)^\W*(?:no|n|nein|non)\W*$`)
	marked  = lazyregexp.New(`(?i)^(?:` + parse.Ticked + `|x|y|yes|n|no|1|•|true|checked)$`)
	noWork  = lazyregexp.New(`(?i)\b(?:no (?:work|employees?|staff|operatives|exposure|activit(?:y|ies))|(?:do|does|will|have|has|did) (?:not|never)|don['’]t|doesn['’]t|never|none of (?:our|the|its) (?:staff|employees|people|work)|not (?:undertake|involved|engaged|carry out|work))\b`)
	isWork  = lazyregexp.New(`(?i)\b(?:employees?|staff|engineers?|operatives|fitters|technicians|crews?|teams?|we|they|work is)\s+(?:(?:will|may|also|regularly|occasionally|sometimes|routinely|do|can)\s+)*(?:works?|attends?|visits?|working|undertaken|carried out|carry out|undertake)\b`)
	doing   = lazyregexp.New(`(?i)\b(?:work|works|working|undertake|undertakes|undertaken|carry|carried|perform|performed|engage|engaged|involved|visit|attend|exposure|place)\b`)
)

// answerTable reads a table of questions with a column for Yes and one for No, in
// which a mark is the answer. It returns the number of rows that it read.
func (r *Reader) answerTable(t *content.Table, head int, at source.Place) int {
	yes, no := -1, -1
	for j, c := range t.Rows[head] {
		switch {
		case yes < 0 && yesHead.MatchString(c.Text):
			yes = j
		case yes >= 0 && no < 0 && noHead.MatchString(c.Text):
			no = j
		}
	}
	if yes < 1 || no < 0 {
		return 0
	}
	list := placesAsked.MatchString(layout.RowText(t.Rows[head])) || placesAsked.MatchString(t.Title) || r.places > 0 && at.Line-r.places < 60
	taken := 0
	for _, row := range t.Rows[head+1:] {
		asked := questionOf(row[:min(yes, len(row))])
		if asked == "" || no >= len(row) && yes >= len(row) {
			break
		}
		taken++
		left, right := markIn(row, yes), markIn(row, no)
		place := layout.CellPlace(at, row[min(yes, len(row)-1)])
		switch {
		case left == right:
		case left:
			r.Answer(asked, "Yes", list || placeAsked(asked), place)
		case right:
			r.Answer(asked, "No", list || placeAsked(asked), place)
		}
	}
	return taken
}

// questionOf returns the longest text before the answers.
func questionOf(cells []content.Cell) string {
	asked := ""
	for _, c := range cells {
		if text := strings.TrimSpace(c.Text); !c.Merged && len(text) > len(asked) {
			asked = text
		}
	}
	return asked
}

func markIn(row []content.Cell, j int) bool {
	return j < len(row) && marked.MatchString(strings.TrimSpace(row[j].Text))
}

// placeAsked reports whether a question mentions work, so that a place in it is a place
// of work.
func placeAsked(asked string) bool { return workWords.MatchString(strings.ToLower(asked)) }

// StateWork extracts, from a sentence, the places where the employees work or do not
// work.
func StateWork(d *candidate.Set, text string, at source.Place) {
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
