package extract

import (
	"context"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/document/content"
)

// FuzzInterpret reads blocks made of any text: lines, labels, tables, quoted or
// not. Whatever they hold, reading ends, quickly, with values in their bounds.
func FuzzInterpret(f *testing.F) {
	f.Add("Named Insured: A Ltd\nLoc 1: 5 Dock Road, Portland, ME 04101\nBuildings £4m; Stock 2m\nRegards\nA B", "Loc|Address|Building|1|5 Dock Road|1,000,000", uint8(3))
	f.Add("RE: A Ltd\nFrom: a@b.example\nSubject: x\nLoc 2 building value is $5, not $6", "Yes|No|x|Airports|x|", uint8(2))
	f.Add("Effective 4/15/26-27\n( ) Yes (X) No\nA   B   C   D", "Address|5 Dock Road|9 Mill Road|City|Leeds|York", uint8(3))
	f.Fuzz(func(t *testing.T, lines, cells string, width uint8) {
		if len(lines)+len(cells) > 20_000 {
			return
		}
		start := time.Now()
		table := &content.Table{Title: strings.SplitN(lines, "\n", 2)[0]}
		row := []content.Cell{}
		for text := range strings.SplitSeq(cells, "|") {
			if row = append(row, content.Cell{Text: text, Merged: text == "<"}); len(row) >= int(width%12)+1 {
				table.Rows, row = append(table.Rows, row), nil
			}
		}
		label, value, _ := strings.Cut(lines, ":")
		at := content.Place{Part: "any"}
		parts := []content.Part{{Name: "any", Mail: &content.Mail{From: label, To: value, Subject: lines, Date: cells}, Blocks: []content.Block{
			{Text: lines, Place: at}, {Table: table, Place: at}, {Label: label, Value: value, Place: at}, {Text: cells, Quoted: true, Place: at},
		}}, {Name: lines, Note: "cut", Cause: content.Limit, Blocks: []content.Block{{Table: table, Place: at}, {Text: lines}}}}
		e, err := interpret(context.Background(), parts)
		if err != nil {
			t.Fatal(err)
		}
		for _, values := range append(e.Locations, e.Facts, e.Options) {
			for _, v := range values {
				if v.Text == "" || v.Score < 0.05 || v.Score > 0.99 {
					t.Errorf("%+v", v)
				}
			}
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%v for %d bytes", took, len(lines)+len(cells))
		}
	})
}
