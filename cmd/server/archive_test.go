package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestExportReplacesOnlyFiles checks which paths an export may write to: those of files, also behind symbolic links,
// but nothing else, whose place a file would take.
func TestExportReplacesOnlyFiles(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file, link, absent := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "absent")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	for path, want := range map[string]string{file: file, link: file, absent: absent} {
		if got, err := replaceable(path); got != want || err != nil {
			t.Errorf("%s: got %s, %v", path, got, err)
		}
	}
	for _, path := range []string{dir, os.DevNull} {
		if got, err := replaceable(path); err == nil {
			t.Errorf("%s may be replaced, by %s", path, got)
		}
	}
}
