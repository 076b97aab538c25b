package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// packModule writes an archive of the Go module as a directory of a module proxy
// (https://go.dev/ref/mod#goproxy-protocol). It returns the name of the archive.
func (r *release) packModule(modified time.Time) (string, error) {
	text, err := os.ReadFile(filepath.Join(r.Source, "go.mod"))
	if err != nil {
		return "", err
	}
	m, err := checkModule(text, r.Version)
	if err != nil {
		return "", err
	}
	paths, err := sourceFiles(r.Source)
	if err != nil {
		return "", fmt.Errorf("list the files: %w", err)
	}
	files := make([]modzip.File, len(paths))
	for i, name := range paths {
		files[i] = sourceFile{r.Source, name}
	}
	var zip bytes.Buffer
	if err := modzip.Create(&zip, m, files); err != nil { // without the modules in subdirectories
		return "", err
	}
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return "", err
	}
	info, err := json.Marshal(map[string]any{"Version": m.Version, "Time": modified})
	if err != nil {
		return "", err
	}
	at := path.Join(escaped, "@v")
	name := fmt.Sprintf("understudy_%s_go", strings.TrimPrefix(r.Version, "v"))
	return name + ".tar.gz", writeTar(filepath.Join(r.Output, name+".tar.gz"), name, []entry{
		{path.Join(at, "list"), []byte(m.Version + "\n"), 0o644},
		{path.Join(at, m.Version+".info"), info, 0o644},
		{path.Join(at, m.Version+".mod"), text, 0o644},
		{path.Join(at, m.Version+".zip"), zip.Bytes(), 0o644},
	}, modified)
}

// checkModule returns the module of a go.mod. It returns an error if the go command could not
// install programs from this version of the module.
func checkModule(text []byte, version string) (module.Version, error) {
	file, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		return module.Version{}, err
	}
	for _, replaced := range file.Replace {
		return module.Version{}, fmt.Errorf("go.mod replaces %s: go install …@version refuses a module with replace directives, and modules that depend on it ignore them", replaced.Old.Path)
	}
	for _, excluded := range file.Exclude {
		return module.Version{}, fmt.Errorf("go.mod excludes %s: go install …@version refuses a module with exclude directives", excluded.Mod)
	}
	// From v2 on, the path of a module ends in the major version.
	return module.Version{Path: file.Module.Mod.Path, Version: version}, module.Check(file.Module.Mod.Path, version)
}

// sourceFiles returns the names of the files in the directory, in order. If it is the directory
// of a git repository, files that git ignores are left out.
func sourceFiles(directory string) (names []string, err error) {
	if _, err := os.Stat(filepath.Join(directory, ".git")); errors.Is(err, fs.ErrNotExist) {
		err := fs.WalkDir(os.DirFS(directory), ".", func(name string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				names = append(names, name)
			}
			return err
		})
		slices.Sort(names)
		return names, err
	}
	out, err := exec.Command("git", "-C", directory, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if _, err := os.Lstat(filepath.Join(directory, name)); err == nil { // git also lists deleted files
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil // git lists a file with a conflict more than once
}

// sourceFile is a file of the module.
type sourceFile struct{ directory, name string }

func (f sourceFile) Path() string                { return f.name }
func (f sourceFile) Lstat() (os.FileInfo, error) { return os.Lstat(filepath.Join(f.directory, f.name)) }

func (f sourceFile) Open() (io.ReadCloser, error) { return os.Open(filepath.Join(f.directory, f.name)) }
