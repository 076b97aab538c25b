package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/retention"
	"understudy.example/internal/server/servertest"
)

// TestGC deletes an orphan while the server runs on its private PostgreSQL, and again
// after the server has ended.
func TestGC(t *testing.T) {
	t.Parallel()
	dir := servertest.DataDir(t)
	p := servertest.Start(t, "--data-dir", dir)
	acme := p.Server().Acme()
	txID := acme.SubmitFile("a.txt", servertest.Letter)
	files, err := filepath.Glob(filepath.Join(dir, "objects", "acme", txID+"-*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v", files, err)
	}
	orphan := files[0][:len(files[0])-8] + strings.Repeat("0", 8)
	makeOld := func(name string) {
		then := time.Now().Add(-25 * time.Hour)
		if err := os.Chtimes(name, then, then); err != nil {
			t.Fatal(err)
		}
	}
	makeOld(files[0])
	writeOrphan := func() {
		if err := os.WriteFile(orphan, []byte("12345"), 0o600); err != nil {
			t.Fatal(err)
		}
		makeOld(orphan)
	}
	gc := func(arguments ...string) (found retention.Garbage) {
		t.Helper()
		out, err := servertest.Command(t, append([]string{"gc", "--json", "--data-dir", dir}, arguments...)...).Output()
		if err != nil {
			t.Fatalf("%v, output %s", err, out)
		}
		if err := json.Unmarshal(out, &found); err != nil {
			t.Fatal(err)
		}
		return found
	}
	writeOrphan()
	if got, want := gc("--dry-run"), (retention.Garbage{Objects: 2, Orphans: 1, OrphanBytes: 5}); got != want {
		t.Errorf("dry run: %+v, want %+v", got, want)
	}
	want := retention.Garbage{Objects: 2, Orphans: 1, OrphanBytes: 5, Deleted: 1}
	if got := gc(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	p.Kill()
	writeOrphan()
	if got := gc(); got != want {
		t.Errorf("without the server: %+v, want %+v", got, want)
	}
	if _, err := os.Stat(files[0]); err != nil {
		t.Errorf("the file of a submission: %v", err)
	}
}

// TestGCRefusesForeignStores runs the command on a store that is not that of the database.
func TestGCRefusesForeignStores(t *testing.T) {
	t.Parallel()
	dir, other := servertest.DataDir(t), t.TempDir()
	servertest.Start(t, "--data-dir", dir)
	if out, err := servertest.Command(t, "gc", "--data-dir", dir, "--objects-url", "file://"+other).CombinedOutput(); err == nil || !strings.Contains(string(out), "it has no marker") {
		t.Errorf("output %s, %v", out, err)
	}
	if out, err := servertest.Command(t, "gc", "--data-dir", dir, "--environment", "other").CombinedOutput(); err == nil || !strings.Contains(string(out), "has no object store") {
		t.Errorf("output %s, %v", out, err)
	}
}
