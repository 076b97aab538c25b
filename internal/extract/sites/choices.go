package sites

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
)

// choices counts the lines of a form whose marks stand before an answer, as in "X Yes No", and
// behind it, as in "Yes No X". The counts decide which answer is marked in "Yes X No".
type choices struct{ before, behind int }

const (
	maxQuestion = 140 // bytes
	maxChoice   = len("[✔]")
	maxAnswer   = 4 // bytes of an answer
)

// choiceOf splits a line that ends with two answers, one of them marked with an X, into the
// question and the answers. The answers are returned as letters, such as "XYN".
func choiceOf(text string) (question, answers string) {
	for range 3 {
		text = strings.TrimRight(text, " \t")
		at := strings.LastIndexAny(text, " \t")
		if at < 0 {
			return "", ""
		}
		word, letter := text[at+1:], ""
		if len(word) > maxChoice && !strings.ContainsAny(word, "\n\f\r") {
			return "", "" // neither an answer nor a tick; most lines end with such a word
		}
		switch answer, fit := parse.YesNo(word); {
		case parse.LoneTick.MatchString(word):
			letter = "X"
		case len(word) > 1 && len(word) <= maxAnswer && fit == 1:
			letter = answer
		}
		if letter == "" || strings.Contains(answers, letter) {
			return "", ""
		}
		text, answers = text[:at], letter+answers
	}
	return strings.TrimSpace(text), answers
}

// count counts the questions of a line that show on which side the marks stand.
func (c *choices) count(text string) {
	for _, asked := range questionsIn(text) {
		switch _, answers := choiceOf(asked); answers {
		case "XYN":
			c.before++
		case "YNX":
			c.behind++
		}
	}
}

// questionsIn splits a line with several questions side by side, each with its answers, behind the last answer of
// each: "Sprinklers?  Yes X  No    Alarm?  X Yes  No".
func questionsIn(line string) []string {
	if strings.Count(line, "?") < 2 {
		return []string{line}
	}
	var found []string
	answered := false
	for _, cell := range pairs.ColumnsOf(line) {
		choice := isChoice(cell)
		if n := len(found); n > 0 && (choice || !answered) {
			found[n-1] += " " + cell
		} else {
			found = append(found, cell)
		}
		answered = choice
	}
	return found
}

// isChoice reports whether a text consists of answers and marks.
func isChoice(text string) bool {
	for word := range strings.FieldsSeq(text) {
		if answer, fit := parse.YesNo(word); !parse.LoneTick.MatchString(word) && (answer == "" || fit < 1 || len(word) > maxAnswer) {
			return false
		}
	}
	return true
}

// answer returns the question of a line that ends with "Yes" and "No", and the answer that is marked.
func (c *choices) answer(text string) (question, answer string) {
	question, answers := choiceOf(text)
	switch {
	case answers == "XYN", answers == "YXN" && c.behind > c.before:
		return question, "Yes"
	case answers == "YNX", answers == "YXN" && c.before > c.behind:
		return question, "No"
	}
	return "", ""
}

// rowLine returns the texts of the cells of a row as a line.
func rowLine(cells []content.Cell) string {
	var line strings.Builder
	for _, c := range cells {
		if text := strings.TrimSpace(c.Text); text != "" && !c.Merged {
			line.WriteString(text + "\t")
		}
	}
	return line.String()
}

// question reads a question about the open location with a marked answer.
func (b *blocks) question(line string, at source.Place) bool {
	if b.current == nil {
		return false
	}
	read := false
	for _, question := range questionsIn(line) {
		asked, answer := b.choices.answer(question)
		if answer == "" || len(asked) > maxQuestion {
			continue
		}
		said := location.Row{Cells: map[string]location.Cell{}}
		location.DescribeBuilding(said, strings.TrimRight(asked, " ?\t"), at)
		m, _ := recognise.HeaderByWords(asked)
		for _, field := range answerFields {
			if _, named := said.Cells[field]; named || m.Field == field {
				b.set(field, answer, source.Synonym, at)
				read = true
				break
			}
		}
	}
	return read
}
