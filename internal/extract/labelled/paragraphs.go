package labelled

import (
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/words"
)

// addressBelow reports whether the next line of an address stands below an empty line. kept holds the lines above it: a name
// and the lines of its address, or only lines of an address if addressOnly is true.
func (r *Reader) addressBelow(empty int, kept []string, addressOnly bool) bool {
	text := func(n int) string {
		if n >= len(r.Lines) || r.Lines[n].At.Part != r.Lines[empty].At.Part || r.Lines[n].Table != nil || r.Lines[n].Label != "" || len(r.Lines[n].Text) > parse.MaxAddress {
			return ""
		}
		return strings.TrimSpace(r.Lines[n].Text)
	}
	next := text(empty + 1)
	switch {
	case next == "":
		return false
	case addressOnly || len(kept) > 1:
		return r.Fits("~city_line", next) && parse.WrittenAddress(address.Parse(kept[len(kept)-1]+", "+next))
	case parse.WrittenAddress(address.Parse(next)):
		return true
	}
	return r.Fits("~street", next) && text(empty+2) == "" && r.Fits("~city_line", text(empty+3))
}

// completedBelow reports whether the text below an empty line is the town of an address without one.
func (r *Reader) completedBelow(empty int, value, name string) bool {
	if name == "company_description" || empty+1 >= len(r.Lines) || r.Lines[empty+1].At.Part != r.Lines[empty].At.Part || parse.WrittenAddress(address.Parse(words.OneLine(value))) {
		return false
	}
	next := r.Lines[empty+1]
	return next.Table == nil && next.Label == "" && r.Fits("~city_line", next.Text) && parse.WrittenAddress(address.Parse(words.OneLine(value)+", "+strings.TrimSpace(next.Text)))
}
