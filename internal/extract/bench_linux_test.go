package extract

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"understudy.example/internal/document"
	"understudy.example/internal/document/content"
)

// BenchmarkLetter measures the extraction from a letter of one page. Run it with -benchtime=200x
// and GOGC=400, as in worker processes, and compare CPU time, which varies less than wall time on a busy
// machine.
func BenchmarkLetter(b *testing.B) {
	letter, err := os.ReadFile("testdata/makers/MapleRidgeBrokers__submission_letter.docx")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	measure(b, func() {
		if _, err := Extract(b.Context(), "letter.docx", bytes.NewReader(letter), int64(len(letter))); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkReadFiftyPages measures reading PDF documents with 50 pages in total, without
// extraction.
func BenchmarkReadFiftyPages(b *testing.B) {
	measure(b, func() { fiftyPages(b) })
}

// BenchmarkFiftyPages measures the extraction from a document of 50 pages that has been read. The
// pages come from documents of different makers.
func BenchmarkFiftyPages(b *testing.B) {
	part := fiftyPages(b)
	measure(b, func() {
		if _, err := interpret(b.Context(), []content.Part{copyOf(part)}); err != nil {
			b.Error(err)
		}
	})
}

// measure reports the CPU time that this process uses for each run.
func measure(b *testing.B, run func()) {
	run()
	var before, after syscall.Rusage
	b.ResetTimer()
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &before); err != nil {
		b.Fatal(err)
	}
	n := 0
	for b.Loop() {
		run()
		n++
	}
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &after); err != nil {
		b.Fatal(err)
	}
	spent := after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()
	b.ReportMetric(float64(spent)/float64(time.Millisecond)/float64(n), "cpu-ms/op")
}

// fiftyPages returns a part with the pages of the PDF documents of the makers.
func fiftyPages(b *testing.B) content.Part {
	const most = 50
	files, err := filepath.Glob("testdata/makers/*.pdf")
	if err != nil || len(files) == 0 {
		b.Fatal(files, err)
	}
	whole := content.Part{Name: "pages.pdf", Format: content.PDF}
	for pages := 0; ; {
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				b.Fatal(err)
			}
			parts, err := document.Read(b.Context(), file, bytes.NewReader(data), int64(len(data)))
			if err != nil {
				b.Fatal(err)
			}
			last := 0
			for _, block := range parts[0].Blocks {
				last = max(last, block.Place.Page)
				if pages+block.Place.Page > most {
					return whole
				}
				block.Place.Page += pages
				whole.Blocks = append(whole.Blocks, block)
			}
			pages += last
		}
	}
}

// copyOf copies the parts of a document that an extraction changes: the rows of its tables.
func copyOf(part content.Part) content.Part {
	part.Blocks = append([]content.Block(nil), part.Blocks...)
	for i, b := range part.Blocks {
		if b.Table != nil {
			table := *b.Table
			table.Rows = append([][]content.Cell(nil), table.Rows...)
			part.Blocks[i].Table = &table
		}
	}
	return part
}
