package openapi

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"sync"
)

// file is a file that never changes. It is compressed only once, because everybody can
// request it.
type file struct {
	plain []byte

	once       sync.Once
	compressed []byte
}

// write writes the file, compressed if the client accepts gzip.
func (f *file) write(w http.ResponseWriter, r *http.Request) {
	content := f.plain
	w.Header().Add("Vary", "Accept-Encoding")
	if acceptsGzip(r) {
		f.once.Do(func() { f.compressed = compress(f.plain) })
		content = f.compressed
		w.Header().Set("Content-Encoding", "gzip")
	}
	w.Write(content) // an error means that the connection is gone
}

func compress(content []byte) []byte {
	var out bytes.Buffer
	compressor, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level exists
	compressor.Write(content)                                        // a buffer has no errors
	compressor.Close()
	return out.Bytes()
}

// acceptsGzip reports whether the client accepts a response that is compressed with gzip.
func acceptsGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, weight, _ := strings.Cut(coding, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			return strings.Trim(strings.TrimSpace(weight), "q=0. ") != "" || strings.TrimSpace(weight) == ""
		}
	}
	return false
}
