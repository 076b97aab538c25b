package worker

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"understudy.example/internal/document/view"
	"understudy.example/internal/extract"
	"understudy.example/internal/field"
)

// Limits of the messages between parent and worker process.
const (
	maxRequest   = 1 << 20  // bytes
	maxResponse  = 64 << 20 // bytes
	maxText      = 64 << 10 // bytes of one text
	maxValues    = 20_000   // of the company or the policy with their lists, or of one location
	maxEntries   = 100      // of a list of texts, codes or amounts; the extraction returns up to 30
	maxLocations = 10_000
	maxView      = 4 << 20 // bytes of a response with a view
	maxViewCells = 100_000 // cells and spans of a view
)

// request asks a worker process to extract the document whose file descriptor is
// sent with it, or for a view of the document.
type request struct {
	Name string      `json:"name"`
	Size int64       `json:"size"`
	View *view.Query `json:"view,omitempty"`
}

// maxResponse returns the limit of the response in bytes.
func (r request) maxResponse() uint32 {
	if r.View != nil {
		return maxView
	}
	return maxResponse
}

// response is the result of a request: exactly one of Extraction, View, Reason, Fault and
// ReadError is set.
type response struct {
	Extraction *extract.Extraction `json:"extraction"`
	View       *view.Window        `json:"view,omitempty"`
	Reason     string              `json:"reason"`     // why the document could not be extracted
	Cause      extract.Cause       `json:"cause"`      // class of the reason
	Fault      string              `json:"fault"`      // an error that the document did not cause
	ReadError  string              `json:"read_error"` // why the file of the document could not be read
	CPUTime    time.Duration       `json:"cpu_time"`   // total CPU time of the worker process so far
	Mapped     uint64              `json:"mapped"`     // bytes of memory that count against the kernel's limit, used or not
}

// encodeFrame returns the message as JSON, preceded by its length.
func encodeFrame(message any) ([]byte, error) {
	body := bytes.NewBuffer(make([]byte, 4))
	encoder := json.NewEncoder(body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(message); err != nil {
		return nil, err
	}
	binary.BigEndian.PutUint32(body.Bytes(), uint32(body.Len()-4))
	return body.Bytes(), nil
}

// readFrame reads a message of at most limit bytes. It rejects unknown fields and
// trailing data.
func readFrame(r io.Reader, limit uint32, message any) error {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > limit {
		return invalidMessageError{fmt.Errorf("message of %d bytes exceeds the limit of %d", size, limit)}
	}
	// CopyN allocates memory only for bytes that arrive, whatever the length says.
	var body bytes.Buffer
	if _, err := io.CopyN(&body, r, int64(size)); err != nil {
		return err
	}
	if !utf8.Valid(body.Bytes()) {
		return invalidMessageError{errors.New("message is not valid UTF-8")}
	}
	decoder := json.NewDecoder(&body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(message); err != nil {
		return invalidMessageError{err}
	}
	if _, err := decoder.Token(); err != io.EOF {
		return invalidMessageError{errors.New("data after the message")}
	}
	return nil
}

// invalidMessageError is the error of a malformed or unacceptable message.
type invalidMessageError struct{ error }

var (
	companyFields  = fieldKinds(field.Facts, field.Report, field.MoreFacts)
	policyFields   = fieldKinds(field.Options, field.MoreOptions)
	locationFields = fieldKinds(field.LocationFacts, field.LocationOptions, field.MoreLocation)
)

// fieldKinds returns the kinds of the fields by name.
func fieldKinds(tables ...[]field.Field) map[string]field.Kind {
	kinds := map[string]field.Kind{}
	for _, table := range tables {
		for _, f := range table {
			kinds[f.Name] = f.Kind
		}
	}
	return kinds
}

// check returns an error if the response is invalid. A worker process has parsed
// untrusted bytes, so the parent trusts only the parts of its response that it has
// checked.
func (r *response) check() error {
	e := r.Extraction
	results := 0
	for _, set := range []bool{e != nil, r.View != nil, r.Reason != "", r.Fault != "", r.ReadError != ""} {
		if set {
			results++
		}
	}
	switch {
	case results != 1:
		return errors.New("want exactly one of extraction, view, reason, fault and read error")
	case r.View != nil:
		return checkView(r.View)
	case e == nil:
		return errors.Join(checkText(r.Reason), checkText(r.Fault), checkText(r.ReadError))
	case len(e.Locations) > maxLocations:
		return fmt.Errorf("too many locations: %d", len(e.Locations))
	case len(e.Parts) > extract.MaxParts:
		return fmt.Errorf("too many parts: %d", len(e.Parts))
	}
	for _, part := range e.Parts {
		if err := errors.Join(part.Check(), checkText(part.Name), checkText(part.Format), checkText(part.Note)); err != nil {
			return err
		}
	}
	if err := errors.Join(checkValues(e.Facts, companyFields), checkValues(e.Options, policyFields)); err != nil {
		return err
	}
	for _, row := range e.Locations {
		if err := checkValues(row, locationFields); err != nil {
			return err
		}
	}
	return nil
}

// checkView checks the texts of a view. Its numbers mean nothing to the parent.
func checkView(w *view.Window) error {
	texts := []string{w.Next}
	for _, part := range w.Parts {
		texts = append(texts, part.Name, part.Format, part.Note)
	}
	for _, block := range w.Blocks {
		texts = append(texts, block.Place, block.Text, block.Label, block.Value, block.Title)
		for _, row := range block.Rows {
			for _, cell := range row {
				texts = append(texts, cell.Ref, cell.Place, cell.Text)
			}
		}
		for _, span := range block.AllSpans() {
			texts = append(texts, span.Text)
		}
	}
	for _, text := range texts {
		if err := checkText(text); err != nil {
			return err
		}
	}
	return nil
}

func checkValues(values []field.Value, known map[string]field.Kind) error {
	if len(values) > maxValues {
		return fmt.Errorf("too many values: %d", len(values))
	}
	entries := map[string]int{} // by list
	for _, value := range values {
		kind, ok := known[value.Field]
		if !ok {
			return fmt.Errorf("unknown field %.100q", value.Field)
		}
		if kind.IsList() && kind != field.Objects {
			if entries[value.Field]++; entries[value.Field] > maxEntries {
				return fmt.Errorf("%s: too many entries", value.Field)
			}
		}
		if !(value.Score >= 0 && value.Score <= 1) {
			return fmt.Errorf("%s: score %v is not from 0 to 1", value.Field, value.Score)
		}
		if err := errors.Join(checkText(value.Text), checkText(value.Evidence)); err != nil {
			return fmt.Errorf("%s: %w", value.Field, err)
		}
	}
	return nil
}

func checkText(text string) error {
	if len(text) > maxText || strings.Contains(text, "\x00") {
		return errors.New("text is too long or contains NUL")
	}
	return nil
}
