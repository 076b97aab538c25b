// Package glyph provides the standard glyph names and the widths of the built-in PDF fonts.
package glyph

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

// widthsText has a line for each built-in font: its name, then the widths of its
// characters, in thousandths, from code 32 of Windows-1252 (of the font, for the symbol
// fonts). 556x2 stands for 556 twice.
//
//go:embed widths.txt
var widthsText string

// parseWidths returns the widths of the built-in fonts by name. Slanted fonts are as
// wide as upright ones, unless they have a line of their own.
var parseWidths = sync.OnceValue(func() map[string]*[256]float64 {
	fonts := map[string]*[256]float64{}
	for line := range strings.Lines(widthsText) {
		fields := strings.Fields(line)
		widths, code := new([256]float64), 32
		for _, field := range fields[1:] {
			width, times, repeated := strings.Cut(field, "x")
			count := 1
			if repeated {
				count, _ = strconv.Atoi(times)
			}
			w, _ := strconv.Atoi(width)
			for range count {
				widths[code] = float64(w) / 1000
				code++
			}
		}
		fonts[fields[0]] = widths
	}
	return fonts
})

// Widths returns the widths of the built-in font whose name is most similar to a name.
func Widths(name string) *[256]float64 {
	fonts := parseWidths()
	if widths, ok := fonts[name]; ok {
		return widths
	}
	lower := strings.ToLower(name)
	bold, slanted := strings.Contains(lower, "bold"), strings.Contains(lower, "italic") || strings.Contains(lower, "oblique")
	switch {
	case strings.Contains(lower, "courier"):
		return fonts["Courier"]
	case !strings.Contains(lower, "times"):
		if bold {
			return fonts["Helvetica-Bold"]
		}
		return fonts["Helvetica"]
	case bold && slanted:
		return fonts["Times-BoldItalic"]
	case bold:
		return fonts["Times-Bold"]
	case slanted:
		return fonts["Times-Italic"]
	}
	return fonts["Times-Roman"]
}
