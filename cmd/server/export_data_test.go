package main_test

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestExportAndImportData exports two tenants with their submissions and imports them into
// another server, twice.
func TestExportAndImportData(t *testing.T) {
	source, target := servertest.New(t), servertest.Open(t)
	txID := source.Acme().Submit("letter.txt", servertest.Letter)
	source.Acme().Submit("a.fail.txt", servertest.Letter)
	other := source.Globex().Submit("letter.txt", servertest.Letter)
	source.Globex().SubmitFile("letter.txt", servertest.Letter)
	source.Acme().Do(servertest.SubmitCompany, `{"company_name":"Foxglove Bakery LLC","address":"12 Mill Street, Springfield, IL 62701"}`).Want(t, http.StatusOK)
	dir := t.TempDir()
	path := filepath.Join(dir, "all.tar.gz")
	out := remote(t, source, 0, "export", "--data", path)
	for _, want := range []string{"tenant acme: 2 submissions and 1 company submit, 0 in progress left out\n", "tenant globex: 1 submission and 0 company submits, 1 in progress left out\n", "exported 2 tenants to " + path} {
		if !strings.Contains(out, want) {
			t.Errorf("output %s, want %s", out, want)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("files %v, %v", entries, err)
	}
	if out := remote(t, target, 0, "import", path); !strings.Contains(out, "not imported: submissions\n") {
		t.Errorf("output without --data: %s", out)
	}
	var result struct {
		Tenants []struct {
			Name        string `json:"tenant"`
			Submissions struct{ Imported, Skipped int }
		}
	}
	for _, want := range []int{2, 0} {
		if err := json.Unmarshal([]byte(remote(t, target, 0, "import", "--data", "--json", path)), &result); err != nil || len(result.Tenants) != 2 {
			t.Fatalf("%v, %v", err, result)
		}
		if got := result.Tenants[0].Submissions; got.Imported != want || got.Imported+got.Skipped != 2 {
			t.Errorf("imported %+v, want %d", got, want)
		}
	}
	for client, id := range map[*servertest.Client]string{new(target.Acme()): txID, new(target.Globex()): other} {
		if got := client.Status(id).Want(t, http.StatusOK).Text(t, "status"); got != "Completed" {
			t.Errorf("status %s", got)
		}
	}
	if out := remote(t, target, 0, "import", "--data", path); !strings.Contains(out, "submissions: 0 imported, 2 skipped because the tenant has them\n  company submits: 0 imported, 1 skipped because the tenant has them\n") {
		t.Errorf("output %s", out)
	}
}

// TestExportLeavesNoPartOfAFile exports from a server that cannot send all submissions,
// and imports archives that are damaged or do not fit.
func TestExportLeavesNoPartOfAFile(t *testing.T) {
	s := servertest.New(t)
	s.Acme().Submit("letter.txt", servertest.Letter)
	s.Acme().Submit("other.txt", servertest.Letter)
	dir := t.TempDir()
	path := filepath.Join(dir, "all.tar.gz")
	remote(t, s, 0, "export", "--data", path)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// A row that the export cannot read breaks its stream.
	s.Exec(`update submissions set extraction = '{"parts":[]}', sha256 = sha256, size = 9223372036854775807 where filename = 'other.txt'`)
	s.Exec("alter table reports rename column locations to gone")
	if out := remote(t, s, 1, "export", "--data", path); !strings.Contains(out, "tenant acme: the server broke the connection before the end") {
		t.Errorf("output %s", out)
	}
	s.Exec("alter table reports rename column gone to locations")
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("files %v, %v", entries, err)
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != string(whole) {
		t.Errorf("the file changed, %v", err)
	}
	cut := filepath.Join(dir, "cut.tar.gz")
	if err := os.WriteFile(cut, whole[:len(whole)-200], 0o600); err != nil {
		t.Fatal(err)
	}
	if out := remote(t, servertest.Open(t), 1, "import", "--data", cut); !strings.Contains(out, "tenant acme: the archive is damaged") {
		t.Errorf("output %s", out)
	}
	conflicting := rename(t, path, "tenants/acme/", "tenants/globex/")
	if out := remote(t, s, 1, "import", "--data", conflicting); !strings.Contains(out, "belongs to another tenant of this server") {
		t.Errorf("output %s", out)
	}
	one := filepath.Join(dir, "one.tar.gz")
	remote(t, s, 0, "export", "--data", "--tenant", "acme", one)
	other := servertest.Open(t)
	if out := remote(t, other, 1, "import", "--data", rename(t, one, "tenants/acme/", "tenants/globex/")); !strings.Contains(out, "tenant globex: the archive has submissions of the tenant, but not its configuration") {
		t.Errorf("output %s", out)
	}
	if n := servertest.Value[int](other, "select count(*) from submissions"); n > 0 {
		t.Errorf("%d submissions were imported", n)
	}
	config := filepath.Join(dir, "config.tar.gz")
	remote(t, s, 0, "export", config)
	for arguments, want := range map[string]string{
		"import --data " + config:                            "it has no submissions: export it with --data",
		"export --data " + filepath.Join(dir, "seed.yaml"):   "a seed has no submissions",
		"export --data " + filepath.Join(dir, "none", "all"): "no such file or directory",
	} {
		if out := remote(t, s, 1, strings.Fields(arguments)...); !strings.Contains(out, want) {
			t.Errorf("%s: %s", arguments, out)
		}
	}
}

// rename returns an archive in which the names that begin with from begin with to, and
// that has the files of no other tenant.
func rename(t *testing.T, path, from, to string) string {
	t.Helper()
	source, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	compressed, err := gzip.NewReader(source)
	if err != nil {
		t.Fatal(err)
	}
	renamed, err := os.Create(path + ".renamed")
	if err != nil {
		t.Fatal(err)
	}
	out := gzip.NewWriter(renamed)
	files := tar.NewWriter(out)
	for in := tar.NewReader(compressed); ; {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(header.Name, to) {
			continue
		}
		header.Name = strings.Replace(header.Name, from, to, 1)
		if err := files.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(files, in); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(files.Close(), out.Close(), renamed.Close()); err != nil {
		t.Fatal(err)
	}
	return renamed.Name()
}
