package forms

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/assign"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
)

var (
	yesHead = vocabulary.Pattern(`(?i)^\W*{{answers.yes}}\W*$`)
	noHead  = vocabulary.Pattern(`(?i)^\W*{{answers.no}}\W*$`)
	marked  = vocabulary.Pattern(`(?i)^(?:` + parse.Ticked + `|x|1|•|{{answers.printed}}|{{answers.ticked}})$`)
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
	list := assign.PlacesAsked.MatchString(layout.RowText(t.Rows[head])) || assign.PlacesAsked.MatchString(t.Title) || r.ListsPlaces(at.Line)
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
func placeAsked(asked string) bool { return assign.WorkWords.MatchString(strings.ToLower(asked)) }
