package sov

import (
	"fmt"
	"testing"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/source"
)

// readTables reads tables as those of one document.
func readTables(tables []*content.Table) *Tables {
	part := content.Part{Name: "a.csv", Format: content.CSV}
	document := &layout.Document{Parts: []content.Part{part}}
	for i, t := range tables {
		document.Lines = append(document.Lines, layout.Line{Table: t, At: source.Place{Line: i}})
	}
	d := New(candidate.NewSet(document))
	d.Read(false)
	return d
}

// TestExaminedHeaders checks that only some of the rows of a document are examined as headers.
func TestExaminedHeaders(t *testing.T) {
	d := readTables(nil)
	row := rowOf([]string{"Mailing Address", "Location #", "4 Dock Road, Springfield, IL 62701", "$1,234,567.00"})
	examined := 0
	for range 2 * maxHeaderRows {
		if d.examinesHeader(row) {
			examined++
		}
	}
	if examined != maxHeaderRows {
		t.Errorf("%d rows were examined, want %d", examined, maxHeaderRows)
	}
	d = readTables(nil)
	d.Segments = make([]*Segment, maxSegments)
	if d.examinesHeader(row) {
		t.Errorf("a row is examined after %d headers", maxSegments)
	}
}

// TestRowsOfAllTables checks that the rows of all tables together are limited.
func TestRowsOfAllTables(t *testing.T) {
	var tables []*content.Table
	for n := range 6 {
		table := &content.Table{Rows: [][]content.Cell{rowOf([]string{"Loc #", "Address", "City", "State", "Zip", "Building Value"})}}
		for i := range 9_000 {
			table.Rows = append(table.Rows, rowOf([]string{fmt.Sprint(i + 1), fmt.Sprintf("%d Mill Street", i+n), "Springfield", "IL", "62701", "1000000"}))
		}
		tables = append(tables, table)
	}
	rows := 0
	for _, s := range readTables(tables).Segments {
		rows += len(s.Rows)
	}
	if most := 3*location.MaxLocations + len(tables); rows > most || rows < 3*location.MaxLocations {
		t.Errorf("got %d rows, want about %d", rows, most)
	}
}
