package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// entry is a file of an archive.
type entry struct {
	name string // in the archive's directory
	text []byte
	mode fs.FileMode
}

// fileEntry returns a copy of a file, with the same name.
func fileEntry(path string, mode fs.FileMode) (entry, error) {
	text, err := os.ReadFile(path)
	return entry{filepath.Base(path), text, mode}, err
}

// writeTar writes a compressed tar archive with the files in one directory.
func writeTar(name, directory string, contents []entry, modified time.Time) error {
	return create(name, func(out io.Writer) error {
		compressed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
		if err != nil {
			return err
		}
		archive := tar.NewWriter(compressed)
		for _, e := range contents {
			header := tar.Header{
				Name: path.Join(directory, e.name), Mode: int64(e.mode), Size: int64(len(e.text)),
				ModTime: modified, Format: tar.FormatUSTAR,
			}
			if err := archive.WriteHeader(&header); err != nil {
				return err
			}
			if _, err := archive.Write(e.text); err != nil {
				return err
			}
		}
		return errors.Join(archive.Close(), compressed.Close())
	})
}

// writeZip writes a zip archive with the files in one directory.
func writeZip(name, directory string, contents []entry, modified time.Time) error {
	return create(name, func(out io.Writer) error {
		archive := zip.NewWriter(out)
		for _, e := range contents {
			header := zip.FileHeader{Name: path.Join(directory, e.name), Method: zip.Deflate, Modified: modified}
			header.SetMode(e.mode)
			file, err := archive.CreateHeader(&header)
			if err != nil {
				return err
			}
			if _, err := file.Write(e.text); err != nil {
				return err
			}
		}
		return archive.Close()
	})
}

// create creates a file, calls write with it, and closes it.
func create(name string, write func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

// writeChecksums writes SHA256SUMS, which sha256sum --check reads, with the SHA-256 of each
// file in the directory.
func writeChecksums(directory string, files []string) error {
	var sums strings.Builder
	for _, name := range slices.Sorted(slices.Values(files)) {
		file, err := os.Open(filepath.Join(directory, name))
		if err != nil {
			return err
		}
		hash := sha256.New()
		_, err = io.Copy(hash, file)
		if err := errors.Join(err, file.Close()); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%s  %s\n", hex.EncodeToString(hash.Sum(nil)), name)
	}
	return os.WriteFile(filepath.Join(directory, "SHA256SUMS"), []byte(sums.String()), 0o644)
}
