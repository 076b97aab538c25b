package assign

import (
	"strings"

	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/party"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

var WorkWords = vocabulary.Pattern(`\b{{work.about work}}\b`)

// Question reads a question whose answer is the next line. Unlike a heading, it changes whose details follow only if it is
// about the insured or the broker: a question about anyone else does not affect the next ones.
func (r *Assigner) Question(text string) {
	whose, headed, prior := r.Whose, r.Headed, r.prior
	r.Heading(text)
	if r.prior && !prior || r.Whose != whose && r.Whose != party.Insured && r.Whose != party.Broker {
		r.SetParty(whose, headed)
		r.prior = prior
	}
}

// Answer proposes indicators for a question and its answer. A place of work as the
// whole question ("Airports: Yes") counts only in a list of such places.
func (r *Assigner) Answer(asked, answer string, list bool, at source.Place) {
	if parts := answersOf(asked, answer); len(parts) > 1 {
		for _, p := range parts {
			r.Answer(p.Label, p.Value, list || WorkWords.MatchString(strings.ToLower(asked)), at)
		}
		return
	}
	value, fit := parse.YesNo(answer)
	if value == "" {
		return
	}
	key := strings.Join(strings.Fields(words.Spread(asked)), " ")
	if key == "" || len(key) > 400 {
		return
	}
	for _, q := range vocabulary.Indicators() {
		if !q.Asked(key) {
			continue
		}
		fit := fit
		if q.Place && !list && !WorkWords.MatchString(key) {
			if fit *= fitOnlyPlace; strings.Count(key, " ") >= maxPlaceWords {
				continue
			}
		}
		if q.Place && !list && value == "Y" && strings.Count(key, " ") > 25 {
			continue // a single Yes to a long list of places does not apply to each of them
		}
		r.Propose(q.Field, value, source.Label, fit, at)
	}
}

const (
	maxPlaceWords = 4   // of a question that consists of a place of work
	fitOnlyPlace  = 0.8 // of the answer to such a question outside of a list
)

// answersOf returns the questions and answers of a value that answers several: "Docks - yes
// (one week); mines - no", or "yes / no" for "docks / mines". It returns nothing for others.
func answersOf(asked, answer string) []pairs.Pair {
	if len(answer) > maxAnswers || !strings.ContainsAny(answer, ";/") {
		return nil
	}
	var parts []pairs.Pair
	for part := range strings.SplitSeq(answer, ";") {
		m := answerBehind.FindStringSubmatch(part)
		if m == nil {
			parts = nil
			break
		}
		parts = append(parts, pairs.Pair{Label: m[1], Value: m[2]})
	}
	if len(parts) > 1 {
		return parts
	}
	questions, answers := strings.Split(asked, "/"), strings.Split(answer, "/")
	if len(questions) != len(answers) || len(questions) < 2 {
		return nil
	}
	parts = nil
	for i := range questions {
		if !parse.IsAnswer(answers[i]) {
			return nil
		}
		parts = append(parts, pairs.Pair{Label: questions[i], Value: answers[i]})
	}
	return parts
}

const maxAnswers = 300 // bytes

// answerBehind matches a text with its answer behind a dash or a colon.
var answerBehind = vocabulary.Pattern(`^\s*(\pL[^:;]{2,60}?)\s*(?:\s[-–—=]\s|:)\s*((?i:{{answers.yes}}|{{answers.no}})\b.*)$`)
