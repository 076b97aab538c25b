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

	"understudy.example/internal/extract"
	"understudy.example/internal/field"
)

// Bounds of what goes between parent and child.
const (
	maxQuestion  = 1 << 20
	maxAnswer    = 64 << 20
	maxValue     = 64 << 10 // bytes of one text
	maxValues    = 2_000    // of the company, the policy, or one location
	maxLocations = 10_000
	maxParts     = 10_000
)

// question asks a child to read the document whose descriptor comes with it.
type question struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

// answer is what the child makes of it: an extraction, or the reason why there
// is none, or the fault that kept it from reading.
type answer struct {
	Extraction *extract.Extraction `json:"extraction"`
	Reason     string              `json:"reason"`
	Fault      string              `json:"fault"` // ours, not the document's
	Spent      time.Duration       `json:"spent"` // CPU time of the child's whole life
}

// frame is a message with its length before it.
func frame(message any) ([]byte, error) {
	body := bytes.NewBuffer(make([]byte, 4))
	encoder := json.NewEncoder(body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(message); err != nil {
		return nil, err
	}
	binary.BigEndian.PutUint32(body.Bytes(), uint32(body.Len()-4))
	return body.Bytes(), nil
}

// readFrame reads a message of at most limit bytes, strictly.
func readFrame(r io.Reader, limit uint32, message any) error {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > limit {
		return errInvalid{fmt.Errorf("a message of %d bytes", size)}
	}
	// What was promised is not yet there: memory grows with what comes.
	var body bytes.Buffer
	if _, err := io.CopyN(&body, r, int64(size)); err != nil {
		return err
	}
	if !utf8.Valid(body.Bytes()) {
		return errInvalid{errors.New("text that is not UTF-8")}
	}
	decoder := json.NewDecoder(&body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(message); err != nil {
		return errInvalid{err}
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errInvalid{errors.New("more than one message")}
	}
	return nil
}

// errInvalid is the error of a message that breaks the rules.
type errInvalid struct{ error }

var (
	company  = names(field.Facts, field.Report)
	policy   = names(field.Options)
	location = names(field.LocationFacts, field.LocationOptions)
)

func names(tables ...[]field.Field) map[string]bool {
	set := map[string]bool{}
	for _, table := range tables {
		for _, f := range table {
			set[f.Name] = true
		}
	}
	return set
}

// check tells whether a child's answer keeps to the rules: a child has met
// foreign bytes, and what it says is believed only as far as it is checked.
func (a *answer) check() error {
	e := a.Extraction
	given := 0
	for _, is := range []bool{e != nil, a.Reason != "", a.Fault != ""} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return errors.New("not exactly one of extraction, reason and fault")
	case e == nil:
		return errors.Join(checkText(a.Reason), checkText(a.Fault))
	case len(e.Locations) > maxLocations:
		return fmt.Errorf("%d locations", len(e.Locations))
	case len(e.Parts) > maxParts:
		return fmt.Errorf("%d parts", len(e.Parts))
	}
	for _, part := range e.Parts {
		if err := errors.Join(checkText(part.Name), checkText(part.Format), checkText(part.Note)); err != nil {
			return err
		}
	}
	if err := errors.Join(checkValues(e.Facts, company), checkValues(e.Options, policy)); err != nil {
		return err
	}
	for _, row := range e.Locations {
		if err := checkValues(row, location); err != nil {
			return err
		}
	}
	return nil
}

func checkValues(values []field.Value, known map[string]bool) error {
	if len(values) > maxValues {
		return fmt.Errorf("%d values", len(values))
	}
	for _, value := range values {
		if !known[value.Field] {
			return fmt.Errorf("unknown field %.100q", value.Field)
		}
		if !(value.Score >= 0 && value.Score <= 1) {
			return fmt.Errorf("%s with score %v", value.Field, value.Score)
		}
		if err := errors.Join(checkText(value.Text), checkText(value.Evidence)); err != nil {
			return fmt.Errorf("%s: %w", value.Field, err)
		}
	}
	return nil
}

func checkText(text string) error {
	if len(text) > maxValue || strings.Contains(text, "\x00") {
		return errors.New("a text that is too long or holds NUL")
	}
	return nil
}
