package glyph

import "testing"

func TestText(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"eacute": "é", "uni20AC": "€", "Scaron": "Š", "ffi": "ffi", "A.swash": "A", "u1F600": "😀"} {
		if text, ok := Text(name); !ok || text != want {
			t.Errorf("glyph %s: got %q, want %q", name, text, want)
		}
	}
}

// TestWidths compares some widths with the metrics of Adobe.
func TestWidths(t *testing.T) {
	for _, tt := range []struct {
		font string
		code int
		want float64
	}{
		{"Helvetica", 'W', 0.944},
		{"Arial-BoldMT", 'i', 0.278},
		{"Helvetica-Oblique", 0xff, 0.5},
		{"Helvetica", 0xa0, 0.278},
		{"Courier-Bold", 'i', 0.6},
		{"TimesNewRoman", 'W', 0.944},
		{"Times-BoldItalic", '~', 0.57},
		{"TimesNewRomanPS-ItalicMT", 0xe9, 0.444},
		{"Symbol", 'a', 0.631},
		{"ZapfDingbats", '4', 0.846},
	} {
		if got := Widths(tt.font)[tt.code]; got != tt.want {
			t.Errorf("%s: code %#x is %v wide, want %v", tt.font, tt.code, got, tt.want)
		}
	}
}
