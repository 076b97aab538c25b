package column_test

import (
	"slices"
	"strings"
	"testing"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/column"
)

// fieldsOf returns the fields of the columns of a table, whose first row is the header, by their index.
func fieldsOf(rows ...string) []string {
	t := &content.Table{}
	for _, row := range rows {
		var cells []content.Cell
		for text := range strings.SplitSeq(row, "|") {
			cells = append(cells, content.Cell{Text: text})
		}
		t.Rows = append(t.Rows, cells)
	}
	columns, _ := column.HeaderAt(t, 0, nil)
	column.Settle(t, columns, 1)
	fields := make([]string, len(t.Rows[0]))
	for _, c := range columns {
		fields[c.Index] = c.Field
	}
	return fields
}

func TestStructureBesideConstruction(t *testing.T) {
	got := fieldsOf("Parish|Structure|Street|City|Construction|Building",
		"St. Ada|Church|12 Mill Road|Salem|Wood frame|4,275,000",
		"St. Ada|Rectory|14 Mill Road|Salem|Ordinary masonry|1,275,000",
		"St. Ida|School|9 Elm Street|Dayton|Steel and concrete|5,100,000")
	if got[4] != "construction_type" || got[1] == "construction_type" {
		t.Errorf("fields: %q", got)
	}
}

func TestValuesOfYears(t *testing.T) {
	for _, headers := range []string{
		"Building Name|Address|2031 Building RCV|2032 Building RCV|2032 Contents",
		"Building Name|Address|2032 Building RCV|2031 Building RCV|2032 Contents",
		"Building Name|Address|Expiring Building Value|Building Value|Contents",
	} {
		got := fieldsOf(headers, "Mill|1 Elm Street|7,600,000|7,942,000|1,450,000", "Barn|9 Elm Street|3,100,000|3,239,500|1,650,000")
		names := strings.Split(headers, "|")
		for i, f := range got {
			if wrong := strings.Contains(names[i], "2031") || strings.Contains(names[i], "Expiring"); f == "building_value" && wrong {
				t.Errorf("%s: fields %q", headers, got)
			}
		}
		if !slices.Contains(got, "building_value") {
			t.Errorf("%s: no column of buildings in %q", headers, got)
		}
	}
}
