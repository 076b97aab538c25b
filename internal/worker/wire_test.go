package worker

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/extract"
	"understudy.example/internal/field"
)

func extractionOf(values ...field.Value) *extract.Extraction {
	return &extract.Extraction{Facts: values, Options: []field.Value{}, Locations: [][]field.Value{}, Parts: []extract.Part{}}
}

// TestCheckResponse checks which responses of a worker process are accepted.
func TestCheckResponse(t *testing.T) {
	t.Parallel()
	good := field.Value{Field: "company_name", Text: "Foxglove", Score: 0.9, Evidence: "a, line 1"}
	changed := func(change func(*field.Value)) *extract.Extraction {
		value := good
		change(&value)
		return extractionOf(value)
	}
	tooManyLocations := extractionOf()
	tooManyLocations.Locations = make([][]field.Value, maxLocations+1)
	factInOptions := extractionOf()
	factInOptions.Options = []field.Value{good}
	for name, test := range map[string]struct {
		response response
		valid    bool
	}{
		"extraction":            {response{Extraction: extractionOf(good)}, true},
		"reason":                {response{Reason: "damaged"}, true},
		"fault":                 {response{Fault: "read failed"}, true},
		"empty":                 {response{}, false},
		"extraction and reason": {response{Extraction: extractionOf(), Reason: "damaged"}, false},
		"NUL in reason":         {response{Reason: "a\x00"}, false},
		"unknown field":         {response{Extraction: changed(func(v *field.Value) { v.Field = "tenant_id" })}, false},
		"fact in options":       {response{Extraction: factInOptions}, false},
		"score above 1":         {response{Extraction: changed(func(v *field.Value) { v.Score = 1.01 })}, false},
		"score below 0":         {response{Extraction: changed(func(v *field.Value) { v.Score = -0.01 })}, false},
		"score NaN":             {response{Extraction: changed(func(v *field.Value) { v.Score = math.NaN() })}, false},
		"NUL in text":           {response{Extraction: changed(func(v *field.Value) { v.Text = "a\x00" })}, false},
		"NUL in evidence":       {response{Extraction: changed(func(v *field.Value) { v.Evidence = "\x00" })}, false},
		"text too long":         {response{Extraction: changed(func(v *field.Value) { v.Text = strings.Repeat("a", maxText+1) })}, false},
		"too many locations":    {response{Extraction: tooManyLocations}, false},
		"too many values":       {response{Extraction: extractionOf(make([]field.Value, maxValues+1)...)}, false},
	} {
		if err := test.response.check(); (err == nil) != test.valid {
			t.Errorf("%s: got %v, want valid: %v", name, err, test.valid)
		}
	}
}

func TestSanitizeText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a\x00b\xffc":                        "ab\uFFFDc",
		strings.Repeat("a", maxText-1) + "€": strings.Repeat("a", maxText-1),
	} {
		if got := sanitizeText(text); got != want {
			t.Errorf("sanitizeText of %d bytes returned %d bytes, want %d", len(text), len(got), len(want))
		}
	}
}

func TestFrames(t *testing.T) {
	t.Parallel()
	sent := response{Extraction: extractionOf(field.Value{Field: "city", Text: "<Springfield> & more", Score: 0.5, Evidence: "a"})}
	message, err := encodeFrame(sent)
	if err != nil {
		t.Fatal(err)
	}
	var got response
	if err := readFrame(bytes.NewReader(message), maxResponse, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sent, got); diff != "" {
		t.Errorf("decoded message (-want +got):\n%s", diff)
	}
	framed := func(body string) string {
		return string(binary.BigEndian.AppendUint32(nil, uint32(len(body)))) + body
	}
	for name, message := range map[string]string{
		"empty":           "",
		"too long":        string(binary.BigEndian.AppendUint32(nil, maxResponse+1)),
		"truncated":       framed(`{"reason":"a"}`)[:10],
		"not JSON":        framed(`reason`),
		"unknown field":   framed(`{"tenant":"a"}`),
		"two messages":    framed(`{"reason":"a"}{"reason":"b"}`),
		"wrong type":      framed(`{"reason":1}`),
		"not UTF-8":       framed("{\"reason\":\"\xff\"}"),
		"not an object":   framed(`[]`),
		"score too large": framed(`{"extraction":{"facts":[{"score":1e999}]}}`),
	} {
		if err := readFrame(strings.NewReader(message), maxResponse, &response{}); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}
