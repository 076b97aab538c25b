package parse

import (
	"strings"

	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
	"understudy.example/internal/memo"
)

var (
	// Ticked is the pattern of a ticked box.
	Ticked = `(?:\[\s*[xX✓✔✗]\s*\]|\(\s*[xX✓✔]\s*\)|[☒☑✓✔✅■])`
	// Unticked is the pattern of a box that is not ticked.
	Unticked = `(?:\[\s*\]|\(\s*\)|[☐□▢])`
	yesWord  = `{{answers.yes}}`
	noWord   = `{{answers.no}}`
	boxFirst = vocabulary.Pattern(`^\W*?(?:` + Ticked + `|` + Unticked + `)\s*(?i:` + yesWord + `|` + noWord + `)(?:\W|$)`)
	yesTick  = [2]*lazyregexp.Regexp{vocabulary.Pattern(`(?i)\b` + yesWord + `\s*:?\s*` + Ticked), vocabulary.Pattern(`(?i)` + Ticked + `\s*` + yesWord + `(?:\W|$)`)}
	noTick   = [2]*lazyregexp.Regexp{vocabulary.Pattern(`(?i)\b` + noWord + `\s*:?\s*` + Ticked), vocabulary.Pattern(`(?i)` + Ticked + `\s*` + noWord + `(?:\W|$)`)}
	openBox  = lazyregexp.New(Unticked)
	yesStart = vocabulary.Pattern(`(?i)^\s*{{answers.begins yes}}\b`)
	noStart  = vocabulary.Pattern(`(?i)^\s*{{answers.begins no}}\b(?:[^.]|$)`)
	// LoneTick matches a text that is only a tick.
	LoneTick = lazyregexp.New(`^\s*(?:` + Ticked + `|[xX])\s*$`)
	// Answered matches a question with its answer; the groups are the question and the answer.
	Answered = vocabulary.Pattern(`(?i)^(.{4,300}?)[?:.…\s]\s*((?:` + Ticked + `|` + Unticked + `)?\s*\b{{answers.printed}}\b.{0,40}?|` + Ticked + `)\s*$`)
)

// BothWords matches the two choices that a form prints before the answer.
var BothWords = lazyregexp.New(`(?i)^\s*\(?(?:yes\s*/\s*no|y\s*/\s*n)\)?[\s:]+`)

// IsAnswer reports whether a text answers a question with yes or no.
func IsAnswer(text string) bool {
	answer, _ := YesNo(text)
	return answer != ""
}

// YesNo reads an answer, and returns Y, N or nothing, and how clear the answer is.
func YesNo(text string) (string, float64) {
	r := replies.Of(text)
	return r.answer, r.fit
}

// reply is an answer to a question, and how clear the answer is.
type reply struct {
	answer string
	fit    float64
}

var replies = memo.New(func(text string) (r reply) {
	r.answer, r.fit = yesNo(text)
	return r
})

func yesNo(text string) (string, float64) {
	text = strings.TrimSpace(text)
	if len(text) > 300 {
		return "", 0
	}
	side := 0 // 1 if a box precedes its word
	if boxFirst.MatchString(text) {
		side = 1
	}
	yes, no := yesTick[side].MatchString(text), noTick[side].MatchString(text)
	switch {
	case yes && !no:
		return "Y", 1
	case no && !yes:
		return "N", 1
	case openBox.MatchString(text) && strings.ContainsFunc(text, IsLetter):
		return "", 0 // boxes left open
	case LoneTick.MatchString(text):
		return "Y", 0.9
	}
	if rest := BothWords.ReplaceAllString(text, ""); rest != text && strings.TrimSpace(rest) != "" {
		return yesNo(rest) // "Yes / No   No"
	}
	lower := strings.ToLower(text)
	if answer := vocabulary.Classes("answers.alone")[lower]; answer != "" {
		return answer, 1
	}
	if strings.HasPrefix(lower, "non-") || strings.HasPrefix(lower, "no-") || strings.HasPrefix(lower, "n/a") || strings.HasPrefix(lower, "n.a") || strings.HasPrefix(lower, "yes/no") || strings.HasPrefix(lower, "yes / no") || strings.HasPrefix(lower, "y/n") || strings.HasPrefix(lower, "yes no") {
		return "", 0
	}
	fit := 1.0
	if len(text) > 5 {
		fit = 0.85
	}
	switch {
	case yesStart.MatchString(text) && !strings.HasPrefix(lower, "y-"):
		return "Y", fit
	case noStart.MatchString(text) && !strings.HasPrefix(lower, "no.") && (len(text) < 5 || strings.ContainsAny(text[:min(len(text), 6)], ",;-– ")):
		if words.Count(text) > 12 {
			return "", 0
		}
		return "N", fit
	}
	return "", 0
}
