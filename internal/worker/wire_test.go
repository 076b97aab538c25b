//go:build linux || darwin

package worker

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

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
		"longest list":          {response{Extraction: extractionOf(slices.Repeat([]field.Value{{Field: "company_description"}}, maxEntries)...)}, true},
		"too many entries":      {response{Extraction: extractionOf(slices.Repeat([]field.Value{{Field: "company_description"}}, maxEntries+1)...)}, false},
		"many vehicles":         {response{Extraction: extractionOf(slices.Repeat([]field.Value{{Field: "vehicles"}}, 10_000)...)}, true},
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
		if got := sanitizeText(text, maxText); got != want {
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
	got, err := readResponse(bytes.NewReader(message), maxResponse)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&sent, got); diff != "" {
		t.Errorf("decoded message (-want +got):\n%s", diff)
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
		if _, err := readResponse(strings.NewReader(message), maxResponse); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	var invalid invalidMessageError
	if _, err := readResponse(strings.NewReader(framed(`{"reason":"a"}`)[:10]), maxResponse); errors.As(err, &invalid) {
		t.Errorf("truncated: got %v, want the error of the connection", err)
	}
}

func framed(body string) string {
	return string(binary.BigEndian.AppendUint32(nil, uint32(len(body)))) + body
}

// TestHostileResponseTakesLittleMemory checks that no response takes much more memory
// than its length, and that a response with too many elements is invalid.
func TestHostileResponseTakesLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow with the race detector; go test without -short runs it")
	}
	value := `{"field":"location_city","text":"a","score":1,"evidence":""},`
	row := "[" + strings.TrimSuffix(strings.Repeat(value, len(locationFields)), ",") + "],"
	for name, test := range map[string]struct{ before, repeated string }{
		"facts":            {`{"extraction":{"facts":[`, "{},"},
		"options":          {`{"extraction":{"options":[`, "{},"},
		"locations":        {`{"extraction":{"locations":[`, "[],"},
		"null locations":   {`{"extraction":{"locations":[`, "null,"},
		"nested locations": {`{"extraction":{"locations":[`, "[[[],"},
		"values":           {`{"extraction":{"locations":[[`, "{},"},
		"full locations":   {`{"extraction":{"locations":[`, "[" + strings.Repeat("{},", 1999) + "{}],"},
		"largest result":   {`{"extraction":{"locations":[`, row},
		"long values":      {`{"extraction":{"locations":[`, strings.ReplaceAll(row, `""`, `"`+strings.Repeat("a", 400)+`"`)},
		"parts":            {`{"extraction":{"parts":[`, "{},"},
		"members":          {`{`, `"mapped":1,`},
		"lists":            {`{"extraction":{`, `"facts":[],`},
		"members of value": {`{"extraction":{"facts":[{`, `"text":"aaaaaaaa",`},
		"text":             {`{"reason":"`, `aaaaaaaa`},
		"escapes":          {`{"reason":"`, `\u0041`},
		"depth":            {``, `[`},
		"depth of a value": {`{"extraction":{"facts":[`, `[`},
		"spaces":           {`{"reason":`, `        `},
	} {
		body := test.before + strings.Repeat(test.repeated, (maxResponse-len(test.before))/len(test.repeated))
		frame := strings.NewReader(framed(body))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := readResponse(frame, maxResponse)
		runtime.ReadMemStats(&after)
		allocated := (after.TotalAlloc - before.TotalAlloc) >> 20
		t.Logf("%s: %d MiB, %v", name, allocated, err)
		var invalid invalidMessageError
		if !errors.As(err, &invalid) || allocated > 200 {
			t.Errorf("%s: %d MiB allocated, error %v; want at most 200 MiB and an invalid message", name, allocated, err)
		}
	}
}

// TestDataAfterResponseIsInvalid checks that the response of a process that sends more
// than one is not used.
func TestDataAfterResponseIsInvalid(t *testing.T) {
	t.Parallel()
	for more, valid := range map[string]bool{"": true, "a": false, framed(`{"reason":"b"}`): false} {
		ours, theirs, err := socketPair()
		if err != nil {
			t.Fatal(err)
		}
		defer theirs.Close()
		conn, err := net.FileConn(ours)
		ours.Close()
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		w := &process{conn: conn.(*net.UnixConn), limits: defaultLimits, timeout: time.Minute, stderr: &prefixBuffer{}, exited: make(chan struct{})}
		go func() {
			theirs.Read(make([]byte, 1))
			theirs.WriteString(framed(`{"reason":"a"}`) + more)
		}()
		null, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		defer null.Close()
		res, err := w.roundTrip(t.Context(), request{Name: "a"}, null)
		if (err == nil) != valid || valid && res.Reason != "a" {
			t.Errorf("%q after the response: got %+v, %v; want valid: %v", more, res, err, valid)
		}
	}
}
