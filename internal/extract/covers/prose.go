package covers

import (
	"slices"
	"strings"

	"understudy.example/internal/extract/observe"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/lazyregexp"
)

// Fit of covers that no heading introduces.
const (
	fitSentence = 0.8 // several covers after a verb that asks for them
	fitAlone    = 0.8 // a list that consists of covers

	minListed = 3 // entries of a list that consists of covers
)

var entryTail = vocabulary.Pattern(`(?i)\s*(?:,| [-–—] |\(|\bwith\b|\bof\s+[$£€\d]|\blimits?\b|\b{{limits.entry end}}\b).*$`)

// dashedTail matches a dash and details with a number, after the name of a cover.
var dashedTail = lazyregexp.New(`\s+[-–—]\s[^\d]*\d.*$`)

// isEntry reports whether a heading below a heading for covers names a cover, although it also contains a word of headings
// for covers: "Business income with extra expense".
func isEntry(text string) bool {
	return !onlySection(text) && len(inList(dashedTail.ReplaceAllString(text, ""))) > 0
}

// inSentence returns the covers that a sentence asks for, if it names at least two.
func inSentence(text string) []Cover {
	var found []Cover
	for _, entry := range asked(text) {
		if c, ok := named(entry, fitSentence); ok {
			if vocabulary.Covers().Find(c.Text)[0].First > 0 {
				c.Text = beforeCover.ReplaceAllString(c.Text, "") // but not "on hook"
			}
			found = append(found, c)
		}
	}
	if len(found) < 2 {
		return nil
	}
	return found
}

// beforeCover matches the words between a request and the first cover.
var beforeCover = vocabulary.Pattern(`(?i)^(?:{{connectives.before a cover}})\s+`)

// inClauses returns the covers at the beginning of the clauses of a sentence below a heading for covers,
// if there are at least two: "General liability with limits of $1m; umbrella of $5m."
func inClauses(text string) []Cover {
	var found []Cover
	for clause := range strings.SplitSeq(strings.ReplaceAll(text, ". ", "; "), ";") {
		if c, ok := named(entryTail.ReplaceAllString(strings.TrimSpace(clause), ""), fitSentence); ok {
			found = append(found, c)
		}
	}
	if len(found) < 2 {
		return nil
	}
	return found
}

// Asked returns the lines of business that a text asks for.
func Asked(text string) []string {
	var lines []string
	for _, entry := range asked(text) {
		if c, ok := named(entry, fitSentence); ok && c.Class == c.Meaning && !partOfName(c.Text) {
			if line := lineName(strings.TrimSpace(article.ReplaceAllString(c.Text, ""))); !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	known := strings.ToLower(strings.Join(lines, "; "))
	for _, c := range requestedChains(text, false) {
		if line := lineName(strings.TrimSpace(article.ReplaceAllString(c.Text, ""))); c.Class == c.Meaning && !strings.Contains(known, strings.ToLower(line)) {
			lines = append(lines, line)
			known += "; " + strings.ToLower(line)
		}
	}
	return lines
}

var article = vocabulary.Pattern(`(?i)^{{limits.article}}\s+`)

// asked returns the entries of the list of covers that a text asks for.
func asked(text string) []string {
	if !namesCover(text) {
		return nil
	}
	words, keys := vocabulary.Split(text), vocabulary.Words(text)
	from, denied := -1, -1
	others := map[int]bool{} // the last words of what others ask for
	for _, m := range vocabulary.Denials().FindWords(keys) {
		if m.Meaning == "others" {
			others[m.Last] = true
		}
	}
	for _, m := range vocabulary.Requests().FindWords(keys) {
		switch start := words[m.First].Start; {
		case m.Meaning == "denies":
			denied = m.Last
		case m.Meaning == "asks" && (denied >= 0 && denied == m.First-1 || others[m.Last]):
		case m.Meaning == "asks" && (from < 0 || start-from <= maxBetweenAsks || !namesCover(text[from:start])):
			from = words[m.Last].End
		case m.Meaning == "ends" && from >= 0 && start > from+1:
			if namesCover(text[from:start]) {
				return entriesOf(text[from:start])
			}
			from = -1
		}
	}
	if from < 0 || !namesCover(text[from:]) {
		return nil
	}
	return entriesOf(text[from:])
}

func namesCover(text string) bool { return len(vocabulary.Covers().Find(text)) > 0 }

// entriesOf splits a list in a sentence.
func entriesOf(text string) []string {
	if end := sentenceEnd.FindStringIndex(text); end != nil {
		text = text[:end[0]]
	}
	if m := toBe.FindString(text); m != "" && !namesCover(m) {
		text = text[len(m):]
	}
	return entriesBy(list, strings.Trim(text, " :"))
}

// toBe matches the words up to the verb before a list of covers: "The lines that we need quoted are".
var toBe = vocabulary.Pattern(`(?i)^\s*(?:[\pL'’]+\s+){0,5}{{connectives.verb|connectives.plural verb}}\s*:?\s+`)

// maxBetweenAsks is the length in bytes of the text between two verbs that both stand before
// the covers, as in "we are asked to quote for".
const maxBetweenAsks = 12

// betweenSentences matches the end of a sentence.
var betweenSentences = lazyregexp.New(`[.!?;]\s+|\n`)

var sentenceEnd = lazyregexp.New(`[.:;]\s|[.:;]$`)

// besideKnown returns the covers without known words from lists of requested covers in
// which other covers have known words.
func besideKnown(observations []observe.Observation) []Cover {
	var found []Cover
	for start := 0; start < len(observations); {
		end, known := start, 0
		var unknown []Cover
		for end < len(observations) && observations[end].Headings == observations[start].Headings && requestedItem(observations[end]) {
			if _, ok := requestedCover(observations[end]); ok {
				known++
			} else if c, ok := ticked(entryTail.ReplaceAllString(observations[end].Text, "")); ok {
				c.Line = observations[end].Line
				unknown = append(unknown, c)
			}
			end++
		}
		if known > 0 && known >= len(unknown) {
			found = append(found, unknown...)
		}
		start = max(end, start+1)
	}
	return found
}

// requestedItem reports whether an observation is an item of a list of requested covers.
func requestedItem(o observe.Observation) bool {
	requested, _ := section(o.Headings)
	return requested && o.Kind == observe.Item && o.Box != observe.Open && !conditions.MatchString(o.Text)
}

// lists returns the covers in lists that consist of covers, whatever introduces them.
func lists(observations []observe.Observation) []Cover {
	var found []Cover
	for start := 0; start < len(observations); {
		end := start
		for end < len(observations) && observations[end].Kind == observe.Item && observations[end].Box != observe.Open &&
			observations[end].Headings == observations[start].Headings {
			end++
		}
		if end == start {
			start++
			continue
		}
		if _, excluded := section(observations[start].Headings); !excluded {
			found = append(found, allCovers(observations[start:end])...)
		}
		start = end
	}
	return found
}

// runs returns the covers in consecutive lines without marks that each name a cover or have
// an amount.
func runs(observations []observe.Observation) []Cover {
	var found, run []Cover
	known := 0
	end := func() {
		if known >= minListed && known*2 > len(run) {
			found = append(found, run...)
		}
		run, known = nil, 0
	}
	for _, o := range observations {
		if _, excluded := section(o.Headings); excluded || o.Box != observe.NoBox || o.Kind == observe.Pair || o.Kind == observe.Item || len(strings.Fields(o.Text)) > maxRunWords {
			end()
			continue
		}
		name := entryTail.ReplaceAllString(o.Text, "")
		c, ok := named(name, fitAlone)
		switch {
		case ok:
			known++
		case len(run) > 0 && amount.MatchString(o.Text) && len(strings.Fields(name)) <= maxWords && bare(name) != "" && !retention.MatchString(name):
			c = Cover{Text: bare(name), Fit: fitAlone}
		default:
			end()
			continue
		}
		c.Line = o.Line
		run = append(run, c)
	}
	end()
	return found
}

const maxRunWords = 14 // of a line

// pairRuns returns the covers in consecutive labels with amounts, if they belong to several lines of business: "Cargo: £500,000",
// "Stock: £2,000,000", "Public liability: £5m".
func pairRuns(observations []observe.Observation) []Cover {
	var found, run []Cover
	end := func() {
		if len(run) >= minListed && slices.ContainsFunc(run, func(c Cover) bool { return c.Class != run[0].Class }) {
			found = append(found, run...)
		}
		run = nil
	}
	for _, o := range observations {
		if o.Kind != observe.Pair {
			end()
			continue
		}
		_, excluded := section(o.Headings)
		c, ok := named(o.Label, fitAlone)
		if excluded || !ok || len(vocabulary.Covers().Whole(bare(o.Label), 0)) == 0 {
			end()
			continue
		}
		if o.Box == observe.Open || !amount.MatchString(o.Text) && !bigNumber.MatchString(o.Text) || denied.MatchString(o.Text) || ofClaims.MatchString(o.Text) {
			continue
		}
		c.Line = o.Line
		run = append(run, c)
	}
	end()
	return found
}

// allCovers returns the covers that the items name, if nearly all do.
func allCovers(items []observe.Observation) []Cover {
	var found []Cover
	for _, o := range items {
		if covers := inItem(o.Text); len(covers) > 1 && len(covers) == len(amount.FindAllString(o.Text, -1)) {
			for i := range covers {
				covers[i].Line = o.Line
			}
			found = append(found, covers...)
			continue
		}
		if c, ok := named(entryTail.ReplaceAllString(o.Text, ""), fitAlone); ok {
			c.Line = o.Line
			found = append(found, c)
		}
	}
	if len(found) < minListed || len(found)*4 < len(items)*3 {
		return nil
	}
	return found
}

const minSentence = 4 // words of a sentence

// sentence reports whether a text is long enough to be one.
func sentence(text string) bool { return len(strings.Fields(text)) >= minSentence && len(text) <= 1000 }
