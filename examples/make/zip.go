package main

import (
	"archive/zip"
	"bytes"
)

// entry is one file of a zip container.
type entry struct {
	name    string
	content []byte
}

// pack makes a zip container. The entries are stored as they are, because a
// compressor may change with the version of Go.
func pack(entries []entry) ([]byte, error) {
	var out bytes.Buffer
	container := zip.NewWriter(&out)
	for _, e := range entries {
		w, err := container.CreateHeader(&zip.FileHeader{Name: e.name, Method: zip.Store, Modified: made})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(e.content); err != nil {
			return nil, err
		}
	}
	err := container.Close()
	return out.Bytes(), err
}
