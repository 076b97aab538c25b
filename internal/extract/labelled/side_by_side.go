package labelled

import (
	"strings"

	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/words"
)

// sideBySide reads labels that stand side by side with their values below them,
// as on the first page of a policy:
//
//	Named insured and mailing address     Producer
//	Alder Ltd                             Birch Agency
func (r *Reader) sideBySide(i int, text string) int {
	heads := pairs.ColumnsOf(words.Unnumbered(text))
	if len(heads) < 2 || len(heads) > 4 {
		return 0
	}
	labels := make([]recognise.Match, len(heads))
	for n, h := range heads {
		m, ok := recognise.Known(h)
		if !ok || m.From != source.Label && m.From != source.Fuzzy {
			return 0
		}
		labels[n] = m
	}
	values := make([]string, len(heads))
	taken := 0
	for k := i + 1; k < len(r.Lines) && taken < 5; k++ {
		l := r.Lines[k]
		cells := pairs.ColumnsOf(l.Text)
		if l.At.Part != r.Lines[i].At.Part || len(cells) != len(heads) || strings.Contains(l.Text, ":") {
			break
		}
		for n, c := range cells {
			values[n] = strings.TrimPrefix(values[n]+"\n"+c, "\n")
		}
		taken++
	}
	if taken == 0 {
		return 0
	}
	for n, m := range labels {
		r.give(m, values[n], 0.95, r.Lines[i].At)
	}
	return taken
}
