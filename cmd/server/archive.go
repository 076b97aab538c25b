package main

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"understudy.example/internal/seed"
)

// archiveVersion is the version of archives that this release writes, and the newest that
// it reads.
const archiveVersion = 1

// manifest is the content of manifest.json, the first file of an archive.
type manifest struct {
	Format  string    `json:"format"`
	Version int       `json:"version"`
	Created time.Time `json:"created_at"`
	Release string    `json:"release"` // release that wrote the archive
	Tenants []string  `json:"tenants"` // in the seed
	Data    bool      `json:"data"`    // it has their submissions
}

// Files of an archive. An archive can also have the submissions of tenants, and other files,
// which are not read.
const (
	archiveFormat = "understudy-export"
	manifestName  = "manifest.json"
	seedName      = "seed.yaml"
)

// maxArchived is the maximum size in bytes of a file that is read from an archive.
const maxArchived = 64 << 20

// isSeed reports whether the file is a seed rather than an archive.
func isSeed(path string) bool {
	return strings.HasSuffix(path, ".yaml") || strings.HasSuffix(path, ".yml") || strings.HasSuffix(path, ".json")
}

// writeArchive writes an archive with the seed, and then what fill adds. The file gets its
// name only when it is complete.
func writeArchive(path string, described manifest, text []byte, fill func(*tar.Writer) error) (err error) {
	if path, err = replaceable(path); err != nil {
		return err
	}
	header, err := json.MarshalIndent(described, "", "  ")
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			file.Close()
			os.Remove(file.Name())
		}
	}()
	compressed := gzip.NewWriter(file)
	files := tar.NewWriter(compressed)
	for _, file := range []struct {
		name    string
		content []byte
	}{{manifestName, append(header, '\n')}, {seedName, text}} {
		if err := files.WriteHeader(&tar.Header{Name: file.name, Mode: 0o600, Size: int64(len(file.content)), ModTime: described.Created}); err != nil {
			return err
		}
		if _, err := files.Write(file.content); err != nil {
			return err
		}
	}
	if err := fill(files); err != nil {
		return err
	}
	if err := errors.Join(files.Close(), compressed.Close(), file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// replaceable returns the path of the file that will be written; for a symbolic link, that is its target. It returns an
// error for a device, a pipe or a directory, because the new file would replace it.
func replaceable(path string) (string, error) {
	info, err := os.Stat(path) // not the target's name, because that of a pipe in /proc names no file
	switch {
	case os.IsNotExist(err):
		if _, err := os.Lstat(path); err == nil {
			return "", fmt.Errorf("%s is a symbolic link to a file that does not exist", path)
		}
		return path, nil
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a regular file", path)
	}
	return filepath.EvalSymlinks(path)
}

// readExport reads an archive or a seed. It reports whether there are submissions.
func readExport(path string) (parsed *seed.File, data bool, err error) {
	if isSeed(path) {
		parsed, err = seed.Read(path)
		return parsed, false, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer file.Close()
	contents, err := readArchive(file)
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", path, err)
	}
	var described manifest
	switch {
	case json.Unmarshal(contents[manifestName], &described) != nil || described.Format != archiveFormat:
		return nil, false, fmt.Errorf("%s: the file is not an archive written by server export, or it is damaged", path)
	case described.Version > archiveVersion:
		return nil, false, fmt.Errorf("%s: a newer release wrote the archive, in version %d; this release reads version %d", path, described.Version, archiveVersion)
	}
	parsed, err = seed.Parse(path+"/"+seedName, contents[seedName])
	return parsed, described.Data, err
}

// readArchive returns the manifest and the seed of an archive. They are its first files.
func readArchive(r io.Reader) (map[string][]byte, error) {
	contents := map[string][]byte{}
	compressed, err := gzip.NewReader(r)
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return contents, nil
	}
	if err != nil {
		return nil, err
	}
	for files := tar.NewReader(compressed); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) || len(contents) == 2 {
			return contents, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the archive is damaged: %w", err)
		}
		if header.Name != manifestName && header.Name != seedName {
			continue
		}
		content, err := io.ReadAll(io.LimitReader(files, maxArchived+1))
		if err != nil {
			return nil, fmt.Errorf("the archive is damaged: %w", err)
		}
		if len(content) > maxArchived {
			return nil, fmt.Errorf("%s in the archive is larger than %d MiB", header.Name, maxArchived>>20)
		}
		contents[header.Name] = content
	}
}
