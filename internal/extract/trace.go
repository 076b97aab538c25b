package extract

import (
	"context"
	"io"

	"understudy.example/internal/document"
	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/observe"
	"understudy.example/internal/extract/products"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/resolve"
	"understudy.example/internal/field"
)

// Trace holds the results of each stage of an extraction.
type Trace struct {
	Observations []Observation
	Tables       []Table
	Candidates   []resolve.Reading // for fields of the insured and the policy
	Dropped      []candidate.Dropped
	// Cells holds the readings of the values of locations, by value without its score.
	Cells map[field.Value]resolve.Reading
}

// Observation is an observation with the field that its label names, or "".
type Observation struct {
	Kind                  observe.Kind
	Text, Field, Evidence string
}

// Table is a table that was recognised as a statement of values.
type Table struct {
	Evidence string
	Columns  []string // "header: field"
	Rows     int      // locations
}

// Explain extracts the data from a document, as Extract does, and also returns the trace.
func Explain(ctx context.Context, name string, data io.ReaderAt, size int64) (*Extraction, *Trace, error) {
	parts, err := document.Read(ctx, name, data, size)
	if err != nil {
		return nil, nil, err
	}
	d := newExtractor(parts)
	d.Log = &candidate.Log{Cells: map[field.Value]resolve.Reading{}}
	e, err := d.extract(ctx)
	if err != nil {
		return nil, nil, err
	}
	return e, d.explain(), nil
}

// explain returns the trace of a finished extraction.
func (d *extractor) explain() *Trace {
	trace := &Trace{Candidates: d.Readings, Dropped: d.Log.Dropped, Cells: d.Log.Cells}
	for _, o := range products.New(d.Set, d.tables).Observations() {
		shown := Observation{Kind: o.Kind, Text: o.Text, Evidence: d.Lines[o.Line].At.Evidence.String()}
		if o.Kind == observe.Pair {
			m, _ := recognise.Label(o.Label)
			shown.Field, shown.Text = m.Field, o.Label+": "+o.Text
		}
		trace.Observations = append(trace.Observations, shown)
	}
	for _, s := range d.tables.Segments {
		table := Table{Evidence: s.At.Evidence.String(), Rows: len(s.Rows)}
		for _, c := range s.Columns {
			if c.Field != "" {
				table.Columns = append(table.Columns, c.Header+": "+c.Field)
			}
		}
		trace.Tables = append(trace.Tables, table)
	}
	return trace
}
