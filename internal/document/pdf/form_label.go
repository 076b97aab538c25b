package pdf

import (
	"math"
	"regexp"
	"strings"

	"understudy.example/internal/document/content"
)

var (
	// generatedName matches the names that form editors make up.
	generatedName = regexp.MustCompile(`(?i)^(text ?(field|box)?|check ?(box)?|undefined|untitled|combo ?box|list ?box|drop ?down|radio ?(button)?|button|group|fill|field|tf|cb|date|topmostsubform)?[\s_.#-]*\d*(\.\d+)*([_-]\d+)*[a-z]?(\[\d+\])?$`)

	// systematicName matches names such as NamedInsured_FullName_A[0] in ACORD forms.
	systematicName = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*(_[A-Za-z0-9]+)+(\[\d+\])?$`)
)

// block returns the field as a label with its value. The label is the name of the
// field when it is made of words or systematic, else the tooltip of the field,
// else the text near its box on the page, which is nil for a field without a page.
func (f formField) block(t *pageText) content.Block {
	b := content.Block{Label: f.name, Value: f.value}
	hint := f.tooltip != "" && len(f.tooltip) <= 120
	last := f.name[strings.LastIndexByte(f.name, '.')+1:]
	named := !generatedName.MatchString(last)
	switch {
	case named && (!hint || strings.Contains(last, " ") || systematicName.MatchString(last)):
	case hint:
		b.Label = f.tooltip
	case t != nil && !named:
		b.Label = t.near(f.box, f.name)
	}
	if t == nil || !f.choice {
		return b
	}
	if beside := t.near(f.box, ""); beside != "" && (named || hint) {
		b.Value = beside
	} else if beside != "" {
		b.Label, b.Value = beside, "Yes"
	}
	return b
}

// pageText is the horizontal text of a page, for the labels of form fields.
type pageText struct {
	upright  matrix // from the coordinates of the file
	segments []segment
}

func horizontalText(p *page) *pageText {
	var runs []run
	for _, r := range p.runs {
		if r.quarters == 0 {
			runs = append(runs, r)
		}
	}
	return &pageText{p.upright, joinRuns(runs, p.vertical)}
}

// near returns the text that labels a box: the nearest one before it, after it or
// above it.
func (t *pageText) near(b box, otherwise string) string {
	b = t.upright.box(b)
	best, found := math.Inf(1), ""
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
		if distance < best && distance < 260 {
			best, found = distance, strings.TrimRight(s.text, " :_.")
		}
	}
	if found == "" {
		return otherwise
	}
	return found
}
