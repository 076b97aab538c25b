package console

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

func parsed(t *testing.T, text string) (value any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

func TestFaultWords(t *testing.T) {
	for fault, want := range map[string]string{
		`{"route":"GET /hooks","status":503,"times":3}`:           "The next 3 calls of GET /hooks respond with status 503.",
		`{"route":"GET /hooks","status":503,"times":3,"acted":2}`: "The next call of GET /hooks responds with status 503.",
		`{"route":"GET /hooks","status":503,"times":3,"acted":3}`: "Used up: no more calls of GET /hooks respond with status 503.",
		`{"route":"*"}`:                                                          "All calls of any route respond with status 500.",
		`{"route":"*","delay":"2s"}`:                                             "All calls of any route wait 2s.",
		`{"route":"*","delay":"2s","drop":true,"every":2}`:                       "Every 2nd call of any route waits 2s and loses its connection.",
		`{"route":"*","status":200,"body":{},"probability":0.25}`:                "About 25 % of the calls of any route respond with status 200 and the given body.",
		`{"delivery":"*","duplicate":2,"reorder":true,"expires":"30s"}`:          "All deliveries of any event are sent 2 more times and are swapped with the one after each, until 30s have passed.",
		`{"delivery":"a:b","wrong_signature":true,"truncate":true,"drop":true}`:  "All deliveries of a:b have a wrong signature, have only the first half of their body and are retried whatever the response.",
		`{"delivery":"a:b","delay":"2h","every":11,"times":4}`:                   "Every 11th delivery of a:b, 4 more times, is made 2h later.",
		`{"delivery":"a:b","drop":true,"times":1,"expires":"2027-01-01T00:00Z"}`: "The next delivery of a:b is retried whatever the response, until 2027-01-01T00:00Z.",
	} {
		if got := faultWords(parsed(t, fault)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", fault, got, want)
		}
	}
}

func TestOutcomeWords(t *testing.T) {
	for outcome, want := range map[string]string{
		`{"match":{"filename":"broken.*"},"status":"Failed"}`: "A submission whose file name matches broken.* ends as Failed.",
		`{"match":{"company_name":"Foxglove","sha256":"` + strings.Repeat("ab", 32) + `"},"facts":{"a":"b","c":"d"},"locations":[{}],"after":"5s","status":"Review_required"}`: "A submission whose file has the SHA-256 abababababab… and whose company is Foxglove has the given facts (2), has 1 given location, ends as Review required and takes 5s longer.",
		`{"match":{"filename":"a"}}`: "A submission whose file name is a is processed as usual.",
	} {
		if got := outcomeWords(parsed(t, outcome)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", outcome, got, want)
		}
	}
}

func TestSpan(t *testing.T) {
	for given, want := range map[string]string{"24h0m0s": "24h", "1h30m0s": "1h30m", "10m0s": "10m", "1h0m5s": "1h0m5s", "20s": "20s", "0s": "0s"} {
		if got := span(given); got != want {
			t.Errorf("span(%q) is %q, want %q", given, got, want)
		}
	}
}

// TestRefusedStreamIsEmpty checks that the body of an error does not count as the beginning
// of a stream of events.
func TestRefusedStreamIsEmpty(t *testing.T) {
	reader, writer := io.Pipe()
	w := &streamed{writer: writer, header: http.Header{}}
	go func() {
		w.WriteHeader(http.StatusServiceUnavailable)
		w.Write([]byte("event: call\n"))
	}()
	if body, err := io.ReadAll(reader); err == nil || len(body) > 0 {
		t.Errorf("read %q, %v, want an error", body, err)
	}
}
