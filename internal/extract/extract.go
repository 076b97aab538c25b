// Package extract extracts the data that a submitted document states: the insured,
// the broker, the policy and the statement of values. Each value has a score and its
// evidence: where in the document it was found. The package has one function, Extract,
// and does not know requests, rows or tenants.
package extract

import (
	"context"
	"io"

	"understudy.example/internal/document"
	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/captions"
	"understudy.example/internal/extract/labelled"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/letters"
	"understudy.example/internal/extract/names"
	"understudy.example/internal/extract/products"
	"understudy.example/internal/extract/resolve"
	"understudy.example/internal/extract/sentences"
	"understudy.example/internal/extract/sov"
	"understudy.example/internal/field"
	"understudy.example/internal/memo"
)

// Extraction is the data extracted from a document.
type Extraction struct {
	// Facts are values of the insured, for fields of field.Facts, for fields of
	// field.Report that only the version 1 inquiry returns (phone_number, email_id,
	// contact_name, dba_aka, fein, …), and for fields of field.MoreFacts. `address` is the insured's whole address on
	// one line.
	Facts []field.Value `json:"facts"`
	// Options are values of the policy and the broker, for fields of field.Options
	// and field.MoreOptions.
	Options []field.Value `json:"options"`
	// Locations are the rows of the statement of values, with values for fields of
	// field.LocationFacts, field.LocationOptions and field.MoreLocation.
	Locations [][]field.Value `json:"locations"`
	// Parts are the file itself and its attachments, with a note on each part that was
	// skipped or only partly read.
	Parts []Part `json:"parts"`
	// Text is the running text of all parts, limited to 200,000 bytes.
	Text string `json:"-"`
}

// Part is one document of a submission: the file itself or an attachment.
type Part struct {
	Name   string `json:"name"`
	Format string `json:"format"`
	Note   string `json:"note"` // why the part was skipped or only partly read; empty if it was read completely
}

// Unreadable is the error of a document that cannot be read at all because of the
// document itself, for example because it needs a password. Its text is the reason
// and can be shown to users.
type Unreadable = content.Unreadable

// Cause is the class of the reason why a document or a part of it was not read.
type Cause = content.Cause

// Extract extracts the data from a document with the given file name and size in
// bytes. Its error is an *Unreadable if the document is the cause.
func Extract(ctx context.Context, name string, data io.ReaderAt, size int64) (*Extraction, error) {
	parts, err := document.Read(ctx, name, data, size)
	if err != nil {
		return nil, err
	}
	return interpret(ctx, parts)
}

// extractor holds the state of one extraction.
type extractor struct {
	*candidate.Set
	tables *sov.Tables
	letter *letters.Reader
	names  *names.Reader
}

func interpret(ctx context.Context, parts []content.Part) (*Extraction, error) {
	defer memo.Start()()
	return newExtractor(parts).extract(ctx)
}

func newExtractor(parts []content.Part) *extractor {
	set := candidate.NewSet(layout.Read(parts))
	captions.Turn(set)
	tables := sov.New(set)
	return &extractor{Set: set, tables: tables, letter: letters.New(set, tables), names: names.New(set)}
}

func (d *extractor) extract(ctx context.Context) (*Extraction, error) {
	inText := sentences.New(d.Set, d.tables)
	steps := []func(){
		d.readForms,
		func() { d.readTables(false) },
		labelled.New(d.Set, d.tables.Taken).Read,
		products.New(d.Set, d.tables).Read,
		inText.ReadYears,
		d.letter.ReadMails,
		d.names.Read,
		inText.Read,
		d.dropPartAddresses,
	}
	for _, step := range steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		step()
	}
	locations := d.readLocations(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d.settleParties()
	d.settleDates()
	d.dropLimits()
	d.settlePlaces(locations)
	facts, options := d.readSchedules(locations)

	given, policy := candidate.Resolve(resolve.Fitted, d.Readings)
	e := &Extraction{
		Facts:     append(given, facts...),
		Options:   append(policy, options...),
		Locations: locations,
		Parts:     make([]Part, len(d.Parts)),
		Text:      d.Text,
	}
	for i, p := range d.Parts {
		e.Parts[i] = Part{Name: p.Name, Format: string(p.Format), Note: p.Note}
	}
	return e, nil
}
