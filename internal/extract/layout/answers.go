package layout

import (
	"strings"

	"understudy.example/internal/extract/vocabulary"
)

// answerMark matches the letter or word that marks a line as the answer to the question above: "A: Quill Ltd".
var answerMark = vocabulary.Pattern(`(?i)^\s*{{answers.mark}}\s*:\s+`)

// withoutAnswerMark removes the mark of an answer from a line of a part, if the line above it is a question.
func (d *Document) withoutAnswerMark(text string, part int) string {
	mark := answerMark.FindString(text)
	if mark == "" {
		return text
	}
	for i := len(d.Lines) - 1; i >= 0 && i >= len(d.Lines)-2; i-- {
		above := d.Lines[i]
		if above.At.Part != part || above.Table != nil || above.Label != "" {
			return text
		}
		if question := strings.TrimSpace(above.Text); question != "" {
			if strings.HasSuffix(question, "?") {
				return text[len(mark):]
			}
			return text
		}
	}
	return text
}
