package pdf

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

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
		b.Label = t.label(f, coded)
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

// label returns the text on the page that labels a field, or the field's name if there is none.
// withoutLabels then removes that text from the running text. A text without letters does not
// replace a coded name.
func (t *pageText) label(f formField, coded bool) string {
	s := t.near(f.box)
	text := s.caption()
	if text == "" || coded && !strings.ContainsFunc(text, unicode.IsLetter) {
		return f.name
	}
	t.labels = append(t.labels, s)
	return text
}

// caption returns the text of a segment without the marks that end a label.
func (s segment) caption() string { return strings.TrimRight(s.text, " :_.") }

// pageText is the horizontal text of a page, for the labels of form fields.
type pageText struct {
	upright  matrix // from the coordinates of the file
	segments []segment
	labels   []segment // the segments that label fields
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
	return &pageText{p.upright, joinRuns(runs, p.vertical), nil}
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
