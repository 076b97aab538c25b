package openapi

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestFilesAreCompressedOnce checks the coding of a file for several clients, and that it
// is compressed only for the first one.
func TestFilesAreCompressedOnce(t *testing.T) {
	f := &file{plain: []byte(strings.Repeat("text ", 10_000))}
	for accepted, want := range map[string]bool{
		"": false, "br": false, "gzip": true, "br, GZIP": true, "gzip;q=0.5": true, "gzip; q=0": false, "gzip;q=0.0": false, "deflate, gzip;q=1.0": true,
	} {
		r := httptest.NewRequest("GET", "/docs", nil)
		r.Header.Set("Accept-Encoding", accepted)
		w := httptest.NewRecorder()
		f.write(w, r)
		got := io.Reader(w.Body)
		if compressed := w.Header().Get("Content-Encoding") == "gzip"; compressed != want {
			t.Fatalf("%q: compressed %v, want %v", accepted, compressed, want)
		}
		if want {
			var err error
			if got, err = gzip.NewReader(got); err != nil {
				t.Fatal(err)
			}
		}
		if content, err := io.ReadAll(got); err != nil || !bytes.Equal(content, f.plain) {
			t.Errorf("%q: %d bytes, %v", accepted, len(content), err)
		}
	}
	first := &f.compressed[0]
	f.write(httptest.NewRecorder(), httptest.NewRequest("GET", "/docs", nil))
	if &f.compressed[0] != first {
		t.Error("the file was compressed again")
	}
}
