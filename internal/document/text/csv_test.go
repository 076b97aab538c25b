package text_test

import (
	"testing"

	"understudy.example/internal/document/documenttest"
	"understudy.example/internal/document/text"
)

func TestCSV(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"semicolon", "a;b\n1,5;\"x;y\"\n", "[]\n  a|b|\n  1,5|x;y|\n"},
		{"tab", "a\tb,c\n1\t2\n", "[]\n  a|b,c|\n  1|2|\n"},
		{"unequal and blank", "Title\n\na,b,c\n1,,\n1,2,3\n", "[]\n  Title|\n  \n  a|b|c|\n  1|\n  1|2|3|\n"},
		{"stray quote", "a,b\n5\" pipe,2\n", "[]\n  a|b|\n  5\" pipe|2|\n"},
		{"sep line", "sep=|\na|b\n1|2\n", "[]\n  a|b|\n  1|2|\n"},
		{"mark", "\xef\xbb\xbfa,b\n1,2\n", "[]\n  a|b|\n  1|2|\n"},
	}
	for _, tt := range tests {
		if got := documenttest.Show(documenttest.MustRead(t, "a.csv", tt.data)[0]); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// TestLooksLikeCSV checks that lines of labels with values are not CSV, even if each has two commas, and that a table can
// have such a line above it.
func TestLooksLikeCSV(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]bool{
		"Annual revenue: $4,500,000\nAnnual payroll: $1,200,000\nTarget premium: $1,045,000\n":                            false,
		"Named Insured: Larch Ltd,,,\nNo,Address,City,Building\n1,4 Weaver St,Salem,450000\n2,5 Weaver St,Salem,510000\n": true,
	} {
		if got := text.LooksLikeCSV(content); got != want {
			t.Errorf("%q: got %v, want %v", content, got, want)
		}
	}
}
