package extract_test

import (
	"bytes"
	"os"
	"testing"

	"understudy.example/internal/extract"
)

// BenchmarkLetter measures the extraction from a letter of one page. Run it with -benchtime=200x
// and compare CPU time, which varies less than wall time on a busy machine.
func BenchmarkLetter(b *testing.B) {
	letter, err := os.ReadFile("testdata/makers/MapleRidgeBrokers__submission_letter.docx")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := extract.Extract(b.Context(), "letter.docx", bytes.NewReader(letter), int64(len(letter))); err != nil {
			b.Fatal(err)
		}
	}
}
