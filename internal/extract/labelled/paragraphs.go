package labelled

import (
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/parse"
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
