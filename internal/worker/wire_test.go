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

func extraction(values ...field.Value) *extract.Extraction {
	return &extract.Extraction{Facts: values, Options: []field.Value{}, Locations: [][]field.Value{}, Parts: []extract.Part{}}
}

// TestCheck: what a child says is believed only where it keeps to the rules.
func TestCheck(t *testing.T) {
	t.Parallel()
	good := field.Value{Field: "company_name", Text: "Foxglove", Score: 0.9, Evidence: "a, line 1"}
	change := func(by func(*field.Value)) *extract.Extraction {
		value := good
		by(&value)
		return extraction(value)
	}
	many := extraction()
	many.Locations = make([][]field.Value, maxLocations+1)
	elsewhere := extraction()
	elsewhere.Options = []field.Value{good}
	for name, test := range map[string]struct {
		answer answer
		right  bool
	}{
		"extraction":          {answer{Extraction: extraction(good)}, true},
		"reason":              {answer{Reason: "damaged"}, true},
		"fault":               {answer{Fault: "read failed"}, true},
		"nothing":             {answer{}, false},
		"both":                {answer{Extraction: extraction(), Reason: "damaged"}, false},
		"NUL in reason":       {answer{Reason: "a\x00"}, false},
		"unknown field":       {answer{Extraction: change(func(v *field.Value) { v.Field = "tenant_id" })}, false},
		"another's field":     {answer{Extraction: elsewhere}, false},
		"score above 1":       {answer{Extraction: change(func(v *field.Value) { v.Score = 1.01 })}, false},
		"score below 0":       {answer{Extraction: change(func(v *field.Value) { v.Score = -0.01 })}, false},
		"no number":           {answer{Extraction: change(func(v *field.Value) { v.Score = math.NaN() })}, false},
		"NUL":                 {answer{Extraction: change(func(v *field.Value) { v.Text = "a\x00" })}, false},
		"NUL in evidence":     {answer{Extraction: change(func(v *field.Value) { v.Evidence = "\x00" })}, false},
		"too long":            {answer{Extraction: change(func(v *field.Value) { v.Text = strings.Repeat("a", maxValue+1) })}, false},
		"too many locations":  {answer{Extraction: many}, false},
		"too many of a thing": {answer{Extraction: extraction(make([]field.Value, maxValues+1)...)}, false},
	} {
		if err := test.answer.check(); (err == nil) != test.right {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestStorable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a\x00b\xffc":                         "ab\uFFFDc",
		strings.Repeat("a", maxValue-1) + "€": strings.Repeat("a", maxValue-1),
	} {
		if got := storable(text); got != want {
			t.Errorf("%d bytes became %d, want %d", len(text), len(got), len(want))
		}
	}
}

func TestFrames(t *testing.T) {
	t.Parallel()
	sent := answer{Extraction: extraction(field.Value{Field: "city", Text: "<Springfield> & more", Score: 0.5, Evidence: "a"})}
	message, err := frame(sent)
	if err != nil {
		t.Fatal(err)
	}
	var got answer
	if err := readFrame(bytes.NewReader(message), maxAnswer, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sent, got); diff != "" {
		t.Error(diff)
	}
	with := func(body string) string {
		return string(binary.BigEndian.AppendUint32(nil, uint32(len(body)))) + body
	}
	for name, message := range map[string]string{
		"nothing":         "",
		"too long":        string(binary.BigEndian.AppendUint32(nil, maxAnswer+1)),
		"cut":             with(`{"reason":"a"}`)[:10],
		"no JSON":         with(`reason`),
		"unknown":         with(`{"tenant":"a"}`),
		"more than one":   with(`{"reason":"a"}{"reason":"b"}`),
		"another type":    with(`{"reason":1}`),
		"not UTF-8":       with("{\"reason\":\"\xff\"}"),
		"not an object":   with(`[]`),
		"score too large": with(`{"extraction":{"facts":[{"score":1e999}]}}`),
	} {
		if err := readFrame(strings.NewReader(message), maxAnswer, &answer{}); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
