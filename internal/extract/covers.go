package extract

import (
	"strings"

	"understudy.example/internal/extract/covers"
	"understudy.example/internal/extract/observe"
)

// readCovers extracts the covers that the document requests.
func (d *extractor) readCovers() {
	for _, c := range covers.Read(d.observations()) {
		d.propose("coverage", c.Text, fromSynonym, c.Fit, d.lines[c.Line].at)
	}
}

// observations returns what the layout of the lines shows. Older mails are left out.
func (d *extractor) observations() []observe.Observation {
	lines := make([]observe.Line, len(d.lines))
	for i, l := range d.lines {
		lines[i] = observe.Line{
			Text: strings.TrimSpace(l.text), Label: l.label, Value: l.value, Part: l.at.part,
			Other: l.table != nil || l.head || l.at.quoted,
		}
	}
	return observe.Read(lines)
}
