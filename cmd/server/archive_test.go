package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestExportReplacesOnlyFiles checks which paths an export may write to: those of files, including the targets of
// symbolic links, and no others, because the export would replace what is there.
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
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	broken := filepath.Join(dir, "broken")
	if err := os.Symlink(absent, broken); err != nil {
		t.Fatal(err)
	}
	refused := []string{dir, os.DevNull, broken}
	if pipe := fmt.Sprintf("/proc/self/fd/%d", write.Fd()); runtime.GOOS == "linux" {
		refused = append(refused, pipe)
	}
	for _, path := range refused {
		if got, err := replaceable(path); err == nil {
			t.Errorf("%s may be replaced, by %s", path, got)
		}
	}
}
