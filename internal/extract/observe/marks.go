package observe

import (
	"slices"
	"strings"

	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/lazyregexp"
)

var (
	bullet   = lazyregexp.New(`^(?:[-–—*•·▪●○◦►➢■□]\s+|o\s{2,})`)
	numbered = lazyregexp.New(`^(?:\(?\d{1,2}[.):]|\(?[a-zA-Z][.)]|\(?[ivx]{1,4}[.)])\s+`)
	emphasis = lazyregexp.New(`\*\*|__|</?[biu]>`)
	tick     = `(?:\[\s*[xX✓✔•●]\s*\]|\(\s*[xX✓✔•●]\s*\)|_[xX]_|[☒☑✓✔✅■◉])`
	open     = `(?:\[\s*\]|\(\s+\)|_\s_|[☐□▢○])`
	// underlined matches a box of underscores with an X, and emptyLine one without.
	underlined = lazyregexp.New(`_[xX]_`)
	emptyLine  = lazyregexp.New(`_{2,}(?:\s|$)`)
	anyBox     = lazyregexp.New(tick + `|` + open)
	cross      = lazyregexp.New(`^[xX]\s+\p{Lu}\pL`)
	columnGap  = lazyregexp.New(`\t+| {2,}`)
	tickedBox  = lazyregexp.New(`^` + tick)
	yes        = vocabulary.Pattern(`(?i)^(?:{{answers.yes}}|x|{{answers.wanted}}|✓|✔|☒|☑|\[x\])\b?[\s.]*$`)
	no         = vocabulary.Pattern(`(?i)^(?:{{answers.no}}|{{answers.not wanted|answers.refused}}|☐|\[\s*\])\b?[\s.]*$`)
	// beginsAnswer matches yes or no at the beginning of an answer.
	beginsAnswer = vocabulary.Pattern(`(?i)^(?:{{answers.yes}}|{{answers.no}})(?:$|[\s,.;:–—-])`)
	question     = lazyregexp.New(`(?i)\s*\(?\b(?:y/n|yes/no|y or n)\b\)?\s*$`)
)

// markdownHeading returns the level of a heading in Markdown, and the text without marks.
func markdownHeading(text string) (int, string) {
	level := len(text) - len(strings.TrimLeft(text, "#"))
	if level > 6 || level > 0 && !strings.HasPrefix(text[level:], " ") {
		level = 0
	}
	return level, strings.TrimSpace(emphasis.ReplaceAllString(text[level:], ""))
}

// withoutMark removes the mark of a list item, and reports whether there was one. A number
// does not count as a mark, because headings have numbers too.
func withoutMark(text string) (string, bool) {
	marked := false
	for {
		mark := bullet.FindString(text)
		if mark == "" {
			break
		}
		text, marked = strings.TrimSpace(text[len(mark):]), true
	}
	return text, marked
}

// withoutNumber removes the number of a heading, a question or a list item.
func withoutNumber(text string) string {
	return strings.TrimSpace(text[len(numbered.FindString(text)):])
}

// boxes splits a line at its check boxes. If the line ends with a box, boxes stand
// behind their texts. Otherwise, they stand before them, and the text before the first box
// introduces them.
func boxes(text string) (introduction string, found []Observation) {
	if underlined.MatchString(text) {
		text = emptyLine.ReplaceAllString(text, "_ _ ") // "_X_ Fire ___ Theft"
	}
	places := anyBox.FindAllStringIndex(text, 20)
	if len(places) == 0 {
		return "", nil
	}
	before := strings.TrimSpace(text[places[len(places)-1][1]:]) != ""
	if before {
		introduction = strings.Trim(withoutNumber(text[:places[0][0]]), " \t:")
	}
	for n, p := range places {
		box := Open
		if tickedBox.MatchString(text[p[0]:]) {
			box = Ticked
		}
		from, to := 0, p[0]
		switch {
		case before && n+1 < len(places):
			from, to = p[1], places[n+1][0]
		case before:
			from, to = p[1], len(text)
		case n > 0:
			from = places[n-1][1]
		}
		if label := strings.Trim(text[from:to], " \t:,;–-"); label != "" {
			found = append(found, Observation{Kind: Item, Text: label, Box: box})
		}
	}
	return introduction, found
}

// answered joins texts with the boxes for yes and no behind them: "Money [x] Yes [ ] No" is a
// ticked item. The introduction is the first of the texts, if boxes for yes or no follow it.
func answered(introduction string, found []Observation) (string, []Observation) {
	if !slices.ContainsFunc(found, func(o Observation) bool { return boxOf(o.Text) != NoBox }) {
		return introduction, found
	}
	if introduction != "" && boxOf(found[0].Text) != NoBox {
		found = append([]Observation{{Kind: Item, Text: introduction, Box: Open}}, found...)
		introduction = ""
	}
	if boxOf(found[0].Text) != NoBox {
		return introduction, found
	}
	var joined []Observation
	for _, o := range found {
		switch answer := boxOf(o.Text); {
		case answer == NoBox:
			joined = append(joined, o)
		case o.Box == Ticked:
			joined[len(joined)-1].Box = answer
		}
	}
	return introduction, joined
}

// Boxed reports whether a text is a check box before or behind a short text, and nothing
// else.
func Boxed(text string) bool {
	introduction, found := boxes(strings.TrimSpace(text))
	return introduction == "" && len(found) == 1 && len(found[0].Text) >= minBoxed && len(found[0].Text) <= maxLabel && boxOf(found[0].Text) == NoBox
}

// AnyBox reports whether a text contains a check box.
func AnyBox(text string) bool { return anyBox.MatchString(text) }

// BeginsBoxed reports whether a text begins with a check box.
func BeginsBoxed(text string) bool {
	if underlined.MatchString(text) {
		text = emptyLine.ReplaceAllString(text, "_ _ ")
	}
	at := anyBox.FindStringIndex(text)
	return at != nil && at[0] == 0
}

// Crossed reports whether one of the columns of a line is marked with an X.
func Crossed(text string) bool {
	for _, c := range columnGap.Split(text, maxCrosses) {
		if c = strings.TrimSpace(c); c == "X" || c == "x" || cross.MatchString(c) {
			return true
		}
	}
	return false
}

// crossedBehind reports whether a line in columns ends with an X that marks the item before it.
func crossedBehind(l Line) bool {
	text := strings.TrimSpace(l.Text)
	if !strings.HasSuffix(text, "X") && !strings.HasSuffix(text, "x") {
		return false
	}
	columns := columnGap.Split(text, maxCrosses)
	last := len(columns) - 1
	return last > 0 && len(columns) < maxCrosses && strings.EqualFold(columns[last], "x") && !cross.MatchString(columns[0]) && !strings.EqualFold(columns[0], "x")
}

const maxCrosses = 12 // columns in a line whose items can be marked with an X

const minBoxed = 4 // bytes of the text beside a box

// pair splits a line into its label and its value, at the first colon that can separate
// them.
func pair(text string) (label, value string, ok bool) {
	at := strings.Index(text, ":")
	if at <= 0 || at > maxIntroduction || strings.HasPrefix(text[at:], "://") {
		return "", "", false
	}
	label, value = strings.TrimSpace(text[:at]), strings.TrimSpace(text[at+1:])
	if value == "" {
		return label, "", true
	}
	if at > maxLabel || at+1 < len(text) && '0' <= text[at+1] && text[at+1] <= '9' && '0' <= text[at-1] && text[at-1] <= '9' {
		return "", "", false // a sentence, or a time
	}
	return strings.TrimSpace(question.ReplaceAllString(label, "")), value, true
}

// answeredQuestion splits a line into a short question and its answer, which begins with yes or no: "Money? Yes, £5,000".
func answeredQuestion(text string) (label, answer string, ok bool) {
	label, answer, ok = strings.Cut(text, "? ")
	if !ok || len(label) > maxLabel/2 || strings.Contains(label, ". ") {
		return "", "", false
	}
	answer = strings.TrimSpace(answer)
	return strings.TrimSpace(label), answer, beginsAnswer.MatchString(answer)
}

// boxOf returns the state of the box that an answer stands for.
func boxOf(value string) Box {
	if _, found := boxes(value); len(found) > 1 {
		for _, b := range found {
			if b.Box == Ticked {
				return boxOf(b.Text)
			}
		}
		return NoBox
	}
	switch value = strings.TrimSpace(value); {
	case yes.MatchString(value):
		return Ticked
	case no.MatchString(value):
		return Open
	}
	return NoBox
}
