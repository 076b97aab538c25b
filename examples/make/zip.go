package main

import (
	"archive/zip"
	"bytes"
)

// entry is a file in a ZIP archive.
type entry struct {
	name    string
	content []byte
}

// writeZip returns a ZIP archive with the entries. They are stored uncompressed,
// because the output of compress/flate may change with the version of Go.
func writeZip(entries []entry) ([]byte, error) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, e := range entries {
		w, err := archive.CreateHeader(&zip.FileHeader{Name: e.name, Method: zip.Store, Modified: documentTime})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(e.content); err != nil {
			return nil, err
		}
	}
	err := archive.Close()
	return out.Bytes(), err
}
