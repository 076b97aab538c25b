package pdf

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"understudy.example/internal/document/content"
)

var (
	// generatedName matches the names that form editors make up.
	generatedName = regexp.MustCompile(`(?i)^(text ?(field|box)?|check ?(box)?|undefined|untitled|combo ?box|list ?box|drop ?down|radio ?(button)?|button|group|fill|field|tf|cb|date|topmostsubform)?[\s_.#-]*\d*(\.\d+)*([_-]\d+)*[a-z]?(\[\d+\])?$`)

	// systematicName matches names such as NamedInsured_FullName_A[0] in ACORD forms.
	systematicName = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*(_[A-Za-z0-9]+)+(\[\d+\])?$`)
)

// codedName matches short names that are codes and not words, such as hzip or cov0.
var codedName = regexp.MustCompile(`^(?:[a-z]{1,6}|[A-Z]{1,3})\d{0,3}$`)

// block returns the field as a label with its value. The label is the name of the
// field when it is made of words or systematic, else the tooltip of the field,
// else the text near its box on the page, which is nil for a field without a page.
func (f formField) block(t *pageText) content.Block {
	b := content.Block{Label: f.name, Value: f.value}
	hint := f.tooltip != "" && len(f.tooltip) <= 120
	last := f.name[strings.LastIndexByte(f.name, '.')+1:]
	coded := codedName.MatchString(last)
	named := !generatedName.MatchString(last) && !coded
	switch {
	case named && (!hint || strings.Contains(last, " ") || systematicName.MatchString(last)):
	case hint:
		b.Label = f.tooltip
	case t != nil && !named:
		s, ok := t.label(f, coded)
		if !ok {
			break
		}
		b.Label = s.caption()
		if question := t.question(f, s); question != "" {
			b.Label, b.Value = question, b.Label
		}
	}
	if t == nil || !f.choice {
		return b
	}
	if beside := t.near(f.box).caption(); beside != "" && (named || hint) {
		b.Value = beside
	} else if beside != "" {
		b.Label, b.Value = beside, "Yes"
	}
	return b
}

// named reports whether the field's name or its tooltip says what it holds.
func (f formField) named() bool {
	last := f.name[strings.LastIndexByte(f.name, '.')+1:]
	return f.tooltip != "" || !generatedName.MatchString(last) && !codedName.MatchString(last)
}

// label returns the text on the page that labels a field, if there is one. withoutLabels then removes that
// text from the running text. A text without letters does not replace a coded name.
func (t *pageText) label(f formField, coded bool) (label segment, ok bool) {
	s := t.near(f.box)
	text := s.caption()
	if text == "" || coded && !strings.ContainsFunc(text, unicode.IsLetter) {
		return segment{}, false
	}
	t.labels = append(t.labels, s)
	if above, ok := t.aboveHint(s); ok && s.y > t.upright.box(f.box).y1-2 {
		t.labels = append(t.labels, above)
		return above, true
	}
	return s, true
}

// Limits of the hints between a label and its field.
const (
	maxHintLines = 4
	minHintWords = 5
	longHint     = 60  // bytes of a line that is continued below
	hintGap      = 2.4 // between the baselines, in multiples of the size of the text
)

// aboveHint returns the text above a hint such as "Please list all companies." that stands between
// a label and its field. The lines of the hint have the same left edge as the label.
func (t *pageText) aboveHint(hint segment) (segment, bool) {
	if !strings.HasSuffix(hint.text, ".") {
		return segment{}, false
	}
	counted := 0
	for range maxHintLines {
		counted += len(strings.Fields(hint.text))
		above, ok := t.above(hint)
		if !ok || strings.HasSuffix(above.text, ".") {
			return segment{}, false
		}
		first, _ := utf8.DecodeRuneInString(hint.text)
		if !unicode.IsLower(first) && len(above.text) < longHint {
			return above, counted >= minHintWords
		}
		hint = above
	}
	return segment{}, false
}

// Limits of questions with checkboxes for the answers.
const (
	maxAnswer       = 4 // characters beside a checkbox, such as "Yes"
	minQuestion     = 3 // words
	maxQuestionLine = 3
)

// answerLine is the texts on a line that can be questions or answers to them.
type answerLine struct {
	questions []question // by their right edges
	answers   []segment  // by their left edges
	labels    int        // the answers from this index on are labels
}

// question is a text that can be a question.
type question struct {
	asked segment
	text  string // with the lines above it, once a field has asked for it
}

// question returns the question on the line of a checkbox beside which the answer stands. It adds the
// answers on the line to the labels, because only the field says which of them is chosen.
func (t *pageText) question(f formField, answer segment) string {
	if !f.button || f.choice || !isAnswer(answer) {
		return ""
	}
	if t.answers == nil {
		t.answers = answerLines(t.segments)
	}
	l := t.answers[answer]
	if l == nil {
		return ""
	}
	n, _ := slices.BinarySearchFunc(l.questions, answer.x0, func(q question, x float64) int {
		if q.asked.x1 <= x {
			return -1
		}
		return 1
	})
	if n == 0 {
		return ""
	}
	q := &l.questions[n-1]
	first, _ := slices.BinarySearchFunc(l.answers, q.asked.x1, func(s segment, x float64) int { return cmp.Compare(s.x0, x) })
	if first < l.labels {
		t.labels = append(t.labels, l.answers[first:l.labels]...)
		l.labels = first
	}
	if q.text == "" {
		q.text = t.questionText(q.asked)
	}
	return q.text
}

// questionText returns the text of a question that ends on a line, and adds its lines to the labels.
func (t *pageText) questionText(asked segment) string {
	t.labels = append(t.labels, asked)
	text := asked.caption()
	for range maxQuestionLine - 1 {
		first, _ := utf8.DecodeRuneInString(text)
		above, ok := t.above(asked)
		if !ok || !unicode.IsLower(first) {
			break
		}
		t.labels = append(t.labels, above)
		text, asked = above.text+" "+text, above
	}
	return text
}

func isAnswer(s segment) bool { return utf8.RuneCountInString(s.text) <= maxAnswer }

// answerLines returns the lines of the texts that can be answers. They are found once for a page, because
// many fields can stand on a line.
func answerLines(segments []segment) map[segment]*answerLine {
	lines := map[segment]*answerLine{}
	sorted := slices.SortedStableFunc(slices.Values(segments), func(a, b segment) int { return cmp.Compare(b.y, a.y) })
	for start := 0; start < len(sorted); {
		end := start + 1
		for end < len(sorted) && sorted[start].y-sorted[end].y < 0.35*math.Max(sorted[start].size, sorted[end].size) {
			end++
		}
		l := &answerLine{}
		for _, s := range sorted[start:end] {
			if isAnswer(s) {
				l.answers = append(l.answers, s)
				lines[s] = l
			} else if len(strings.Fields(s.text)) >= minQuestion {
				l.questions = append(l.questions, question{asked: s})
			}
		}
		slices.SortStableFunc(l.questions, func(a, b question) int { return cmp.Compare(a.asked.x1, b.asked.x1) })
		slices.SortStableFunc(l.answers, func(a, b segment) int { return cmp.Compare(a.x0, b.x0) })
		l.labels = len(l.answers)
		start = end
	}
	return lines
}

// above returns the text on the line above a segment that begins at the same left edge.
func (t *pageText) above(s segment) (above segment, ok bool) {
	above.y = math.Inf(1)
	for _, o := range t.segments {
		if o.y > s.y+0.5*s.size && o.y < above.y && math.Abs(o.x0-s.x0) < s.size {
			above = o
		}
	}
	return above, above.y <= s.y+hintGap*math.Max(s.size, above.size)
}

// caption returns the text of a segment without the marks that end a label.
func (s segment) caption() string { return strings.TrimRight(s.text, " :_.") }

// pageText is the horizontal text of a page, for the labels of form fields.
type pageText struct {
	upright  matrix // from the coordinates of the file
	segments []segment
	labels   []segment // the segments that label fields
	answers  map[segment]*answerLine
}

// withoutLabels returns the runs of the page that do not label fields.
func (t *pageText) withoutLabels(runs []run) []run {
	return slices.DeleteFunc(runs, func(r run) bool {
		return r.quarters == 0 && slices.ContainsFunc(t.labels, func(s segment) bool {
			return math.Abs(r.y-s.y) < 0.35*s.size && r.x0 >= s.x0-0.1 && r.x1 <= s.x1+0.1
		})
	})
}

func horizontalText(p *page) *pageText {
	var runs []run
	for _, r := range p.runs {
		if r.quarters == 0 {
			runs = append(runs, r)
		}
	}
	return &pageText{upright: p.upright, segments: joinRuns(runs, p.vertical)}
}

// near returns the text that labels a box: the nearest one before it, after it or
// above it.
func (t *pageText) near(b box) (found segment) {
	b = t.upright.box(b)
	best := 260.0
	for _, s := range t.segments {
		middle := s.y + 0.3*s.size
		overlaps := s.x0 < b.x1 && s.x1 > b.x0
		distance := math.Inf(1)
		switch {
		case middle > b.y0-2 && middle < b.y1+2 && s.x1 <= b.x0+4:
			distance = b.x0 - s.x1
			if strings.HasSuffix(s.text, ":") {
				distance /= 2 // it is certainly a label
			}
		case middle > b.y0-2 && middle < b.y1+2 && s.x0 >= b.x1-4 && b.x1-b.x0 < 25:
			distance = s.x0 - b.x1 // a checkbox has its label after it
		case overlaps && s.y >= b.y1-2:
			distance = 30 + 4*(s.y-b.y1)
		}
		if distance < best {
			best, found = distance, s
		}
	}
	return found
}
