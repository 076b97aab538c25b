package main

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// A client is a package for tests in another language.
type client struct {
	name    string
	suffix  string   // of the archive
	version string   // the file with the version, which is 0.0.0 in the repository
	files   []string // patterns
}

var clients = []client{
	{"python", ".tar.gz", "understudy/__init__.py", []string{"README.md", "pyproject.toml", "build_package.py", "understudy/*.py", "understudy/py.typed"}},
	{"js", ".tgz", "package.json", []string{"README.md", "package.json", "*.js", "*.d.ts", "lib/*.js"}},
}

// packClients writes an archive of each client, which pip or npm can install, and the
// client for Java, which is one file. It returns the names of the files.
func (r *release) packClients(modified time.Time) (names []string, err error) {
	for _, c := range clients {
		name := fmt.Sprintf("understudy_%s_%s", strings.TrimPrefix(r.Version, "v"), c.name)
		contents, err := c.contents(r.Source, r.Version)
		if err == nil {
			err = writeTar(filepath.Join(r.Output, name+c.suffix), name, contents, modified)
		}
		if err != nil {
			return nil, fmt.Errorf("client for %s: %w", c.name, err)
		}
		names = append(names, name+c.suffix)
	}
	const java = "Understudy.java"
	text, err := os.ReadFile(filepath.Join(r.Source, "clients", "java", java))
	if err == nil {
		err = os.WriteFile(filepath.Join(r.Output, java), text, 0o644)
	}
	return append(names, java), err
}

// contents returns the files of the client's archive, with the version of the release.
func (c client) contents(source, version string) (contents []entry, err error) {
	directory := filepath.Join(source, "clients", c.name)
	for _, pattern := range c.files {
		paths, err := filepath.Glob(filepath.Join(directory, pattern))
		if err != nil {
			return nil, err
		}
		if len(paths) == 0 {
			return nil, fmt.Errorf("no file matches %s", pattern)
		}
		for _, file := range paths {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			name := path.Join(path.Dir(pattern), filepath.Base(file))
			if name == c.version {
				text = bytes.Replace(text, []byte("0.0.0"), []byte(c.versionText(version)), 1)
			}
			contents = append(contents, entry{name: name, text: text, mode: 0o644})
		}
	}
	for _, document := range []string{"LICENSE", "NOTICE"} {
		e, err := fileEntry(filepath.Join(source, document), 0o644)
		if err != nil {
			return nil, err
		}
		contents = append(contents, e)
	}
	return contents, nil
}

// versionText returns a version in the form of the client's language: 1.2.3-rc.1, in
// Python 1.2.3rc1.
func (c client) versionText(version string) string {
	number, candidate, found := strings.Cut(strings.TrimPrefix(version, "v"), "-")
	if !found {
		return number
	}
	if c.name == "python" {
		return number + strings.ReplaceAll(candidate, ".", "")
	}
	return number + "-" + candidate
}
