package main_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/auth"
	"understudy.example/internal/seed"
	"understudy.example/internal/server/servertest"
)

// remote runs a command against the server and returns its standard output or, if it must
// fail, its standard error.
func remote(t *testing.T, s *servertest.Server, wantCode int, arguments ...string) string {
	t.Helper()
	code, stdout, stderr := run(t, append(arguments, "--control-url", strings.TrimSuffix(s.ControlURL, "/control/v1"))...)
	if code != wantCode {
		t.Fatalf("%v: exit code %d, %s", arguments, code, stderr)
	}
	if wantCode != 0 {
		return stderr
	}
	return stdout
}

// fill creates a tenant that uses every section of a configuration.
func fill(t *testing.T, s *servertest.Server) *servertest.Tenant {
	t.Helper()
	tenant := s.NewNamedTenant("initech", `{"pacing":{"mode":"polls","per_state":2},"status_vocabulary":"polling"}`)
	for _, call := range []string{
		`POST /packages {"id":"carrier-us-c0042","fields":["company_name"]}`,
		`PUT /outcomes {"match":{"filename":"yes: *.pdf"},"facts":{"company_name":"02110"},"after":"5s"}`,
		`POST /faults {"route":"GET /hooks","status":503,"body":{"a":[1,2,null]},"times":3}`,
		`POST /hooks {"name":"Billing","url":"http://127.0.0.1:9/a","events":["universal_submit"],"header":"X-Key: k3y","secret":"s3cret","active":true}`,
		`POST /clients {"client_id":"initech-reader","permissions":["::data/v2:get"]}`,
		`POST /clock {"set":"2030-01-01T00:00:00Z","frozen":true}`,
	} {
		line, body, _ := strings.Cut(call, " {")
		if got := tenant.Control(line, "{"+body); got.Status/100 != 2 {
			t.Fatalf("%s: %d %s", call, got.Status, got.Body)
		}
	}
	return tenant
}

// TestExportAndImport exports all tenants and imports them into another server: it then
// exports the same. Importing them again changes nothing.
func TestExportAndImport(t *testing.T) {
	source, target := servertest.New(t), servertest.Open(t, servertest.Background)
	tenant := fill(t, source)
	path := filepath.Join(t.TempDir(), "all.tar.gz")
	if out := remote(t, source, 0, "export", path); out != "exported 3 tenants to "+path+"\n" {
		t.Errorf("output %s", out)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	var result struct {
		Tenants []struct {
			Name     string `json:"tenant"`
			Created  bool
			APIKey   string              `json:"api_key"`
			Clients  []map[string]string `json:"created_clients"`
			Missing  []string
			NotTaken []string `json:"not_imported"`
		}
	}
	if err := json.Unmarshal([]byte(remote(t, target, 0, "import", path, "--json")), &result); err != nil || len(result.Tenants) != 3 {
		t.Fatalf("%v, %v", err, result)
	}
	created := result.Tenants[2]
	if created.Name != "initech" || !created.Created || len(created.Clients) != 2 || len(created.NotTaken) != 0 || !cmp.Equal(created.Missing, []string{"hooks[0].header", "hooks[0].secret"}) {
		t.Errorf("imported %+v", created)
	}
	for _, client := range created.Clients { // both work, with the tenant's new API key
		target.Login(auth.Demo{ClientID: client["client_id"], ClientSecret: client["client_secret"], APIKey: created.APIKey})
	}
	exported := filepath.Join(t.TempDir(), "initech.yaml")
	remote(t, target, 0, "export", "--tenant", "initech", exported)
	got, err := os.ReadFile(exported)
	if err != nil {
		t.Fatal(err)
	}
	remote(t, source, 0, "export", "--tenant", "initech", "--tenant", "initech", exported)
	want, err := os.ReadFile(exported)
	if err != nil {
		t.Fatal(err)
	}
	without := strings.NewReplacer(`header: "X-Key: ***"`, `header: ""`, "has_secret: true", "has_secret: false").Replace(string(want))
	if diff := cmp.Diff(without, string(got)); diff != "" {
		t.Errorf("the configuration of the target (- source):\n%s", diff)
	}
	for _, secret := range []string{"k3y", "s3cret", tenant.Credentials.ClientSecret, tenant.Credentials.APIKey} {
		if strings.Contains(string(want), secret) {
			t.Errorf("the export has the secret %s", secret)
		}
	}
	before := target.Tenant("initech").Control("GET /configuration", "").Want(t, http.StatusOK).Body
	if out := remote(t, target, 0, "import", path); !strings.Contains(out, "tenant initech: unchanged\n") || strings.Contains(out, "secret ") {
		t.Errorf("output %s", out)
	}
	if after := target.Tenant("initech").Control("GET /configuration", "").Want(t, http.StatusOK).Body; after != before {
		t.Errorf("before %s\nafter  %s", before, after)
	}
}

// TestExportIsASeed applies an exported configuration, with the secrets that it lacks, as
// a seed.
func TestExportIsASeed(t *testing.T) {
	source, target := servertest.New(t), servertest.Open(t)
	tenant := fill(t, source)
	path := filepath.Join(t.TempDir(), "initech.yaml")
	remote(t, source, 0, "export", "--tenant", "initech", path)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	complete := strings.ReplaceAll(string(text), "permissions:", "client_secret: s3cret\n        permissions:")
	f, err := seed.Parse(path, []byte(complete))
	if err != nil {
		t.Fatal(err)
	}
	if err := target.App.ApplySeed(t.Context(), f); err != nil {
		t.Fatalf("%v in\n%s", err, complete)
	}
	target.Login(auth.Demo{ClientID: tenant.Credentials.ClientID, ClientSecret: "s3cret"})
	if now := target.Tenant("initech").Control("GET /clock", "").Want(t, http.StatusOK).Text(t, "now"); !strings.HasPrefix(now, "2030-01-01T00:00:00.0") {
		t.Errorf("the clock shows %s", now)
	}
}

// TestImportRefusals checks files and tenants that cannot be imported or exported.
func TestImportRefusals(t *testing.T) {
	s := servertest.New(t)
	dir := t.TempDir()
	write := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	archive := func(manifest string) []byte {
		var out bytes.Buffer
		compressed := gzip.NewWriter(&out)
		files := tar.NewWriter(compressed)
		if err := files.WriteHeader(&tar.Header{Name: "manifest.json", Size: int64(len(manifest))}); err != nil {
			t.Fatal(err)
		}
		files.Write([]byte(manifest))
		files.Close()
		compressed.Close()
		return out.Bytes()
	}
	whole := archive(`{"format":"understudy-export","version":1}`)
	s.Unchanged(t, func() {
		for _, c := range []struct{ arguments, want string }{
			{"import " + write("text", []byte("hello")), "text: the file is not an archive written by server export, or it is damaged"},
			{"import " + write("empty", nil), "empty: the file is not an archive written by server export, or it is damaged"},
			{"import " + write("other", archive(`{"format":"other","version":1}`)), "other: the file is not an archive written by server export, or it is damaged"},
			{"import " + write("cut", whole[:len(whole)/2]), "cut: the archive is damaged: unexpected EOF"},
			{"import " + write("newer", archive(`{"format":"understudy-export","version":2}`)), "newer: a newer release wrote the archive, in version 2; this release reads version 1"},
			{"import " + write("none", whole), "none/seed.yaml: the file is empty"},
			{"import " + write("wrong.yaml", []byte("version: 1\ntenants:\n  - tenant: a\n    faults: [{route: x}]")), `wrong.yaml:4:14: tenants[0].faults[0]: unknown route "x"`},
			{"import " + filepath.Join(dir, "gone"), "gone: no such file or directory"},
			{"export " + filepath.Join(dir, "out.json"), "out.json: a seed is YAML: choose a name that ends in .yaml"},
			{"export --tenant nobody " + filepath.Join(dir, "out"), `the server has no tenant "nobody"`},
		} {
			if got := remote(t, s, 1, strings.Fields(c.arguments)...); !strings.Contains(got, c.want) {
				t.Errorf("%s: %s", c.arguments, got)
			}
		}
	})
}
