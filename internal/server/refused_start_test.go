package server_test

import (
	"bytes"
	"encoding/base64"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
)

func TestSecondServerOnADataDirectoryRefusesToStart(t *testing.T) {
	t.Parallel()
	dir := servertest.DataDir(t)
	p := servertest.Start(t, "--data-dir", dir)
	output := servertest.Refusal(t, "--data-dir", dir)
	if !strings.Contains(output, dir+" is in use by another server") {
		t.Errorf("output %s", output)
	}
	p.Server().Do(servertest.Call{Line: "GET /readyz"}).Want(t, http.StatusOK)
}

// TestPortInUseIsReportedBeforeADatabaseIsCreated starts a server on the port of another listener.
func TestPortInUseIsReportedBeforeADatabaseIsCreated(t *testing.T) {
	t.Parallel()
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	dir := servertest.DataDir(t)
	output, err := servertest.Command(t, "--data-dir", dir, "--listen=127.0.0.1:0", "--control="+socket.Addr().String()).CombinedOutput()
	if want := "server: --control: listen tcp " + socket.Addr().String() + ": bind: address already in use: choose another address; port 0 picks a free port\n"; err == nil || string(output) != want {
		t.Errorf("%v, output %s, want %s", err, output, want)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("got %v, %v, want an empty data directory", files, err)
	}
}

const masterKey = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

// TestUATProfileRefusesAnUnsafeConfiguration checks that the server names every
// reason not to start, and no other.
func TestUATProfileRefusesAnUnsafeConfiguration(t *testing.T) {
	servertest.Proves(t,
		"Chosen, process: uat names each reason not to start",
		"Chosen, process: uat refuses demo credentials and fsync off")
	t.Parallel()
	output := servertest.Refusal(t, "--profile", "uat", "--data-dir", t.TempDir(), "--seed", "../seed/demo.yaml")
	for _, reason := range []string{
		"MASTER_KEY is not set", "DATABASE_URL is not set", "CONTROL_TOKEN is not set", "PUBLIC_URL is not set",
		"the seed contains the id, the secret or the API key of a demo client",
	} {
		if !strings.Contains(output, reason) {
			t.Errorf("reason %q is not in: %s", reason, output)
		}
	}
	// A local server has used this database. The database server of the tests runs
	// without fsync.
	arguments := []string{"DATABASE_URL=" + storagetest.URL(t), "MASTER_KEY=" + masterKey, "--data-dir", t.TempDir()}
	servertest.Start(t, arguments...).Kill()
	output = servertest.Refusal(t, append(arguments, "PROFILE=uat", "CONTROL_TOKEN="+strings.Repeat("t", 32), "PUBLIC_URL=https://uat.example")...)
	for _, reason := range []string{"demo credentials", "fsync is off"} {
		if !strings.Contains(output, reason) {
			t.Errorf("reason %q is not in: %s", reason, output)
		}
	}
	for _, absent := range []string{"MASTER_KEY", "DATABASE_URL", "CONTROL_TOKEN", "PUBLIC_URL"} {
		if strings.Contains(output, absent) {
			t.Errorf("%s is a reason in: %s", absent, output)
		}
	}
}

// TestUATProfileRefusesAWeakTokenOrPublicURL checks the reasons that depend on the
// values of flags: the control token must have at least 32 characters, and the public
// URL must be https or private.
func TestUATProfileRefusesAWeakTokenOrPublicURL(t *testing.T) {
	servertest.Proves(t,
		"Chosen, process: uat refuses a short control token",
		"Chosen, process: uat refuses a public http URL")
	t.Parallel()
	const token, url = "CONTROL_TOKEN has fewer than 32 characters", "PUBLIC_URL is http, and its host is not a loopback or private address"
	for _, c := range []struct {
		token, url string
		want       []string
	}{
		{strings.Repeat("t", 31), "http://uat.example", []string{token, url}},
		{strings.Repeat("t", 32), "http://192.0.2.1:8080", []string{url}},
		{"t", "http://10.1.2.3", []string{token}},
		{"t", "http://[::1]:8080", []string{token}},
		{"t", "http://localhost", []string{token}},
		{"t", "https://uat.example/base", []string{token}},
		{"t", "uat.example", []string{token, `PUBLIC_URL "uat.example": want a base URL`}},
		{strings.Repeat(" ", 40), "https://user:secret@uat.example", []string{token, `PUBLIC_URL "https://user:xxxxx@uat.example": want a URL without a user`}},
	} {
		output := servertest.Refusal(t, "PROFILE=uat", "--data-dir", t.TempDir(), "CONTROL_TOKEN="+c.token, "PUBLIC_URL="+c.url)
		for _, reason := range c.want {
			if !strings.Contains(output, reason) {
				t.Errorf("%s, token of %d characters: reason %q is missing in: %s", c.url, len(c.token), reason, output)
			}
		}
		if n := strings.Count(output, "PUBLIC_URL") + strings.Count(output, "CONTROL_TOKEN"); n != len(c.want) {
			t.Errorf("%s, token of %d characters: got %d reasons: %s", c.url, len(c.token), n, output)
		}
	}
}

// TestUnreachableDatabaseIsNoUnsafeConfiguration checks that both profiles report a
// database that cannot be reached in one sentence.
func TestUnreachableDatabaseIsNoUnsafeConfiguration(t *testing.T) {
	t.Parallel()
	const want = "server: the database at 127.0.0.1:1 cannot be reached: connection refused: start PostgreSQL, or correct DATABASE_URL\n"
	for _, profile := range []string{"uat", "local"} {
		output := servertest.Refusal(t, "PROFILE="+profile, "--data-dir", t.TempDir(), "DATABASE_URL=postgres://127.0.0.1:1/x", "MASTER_KEY="+masterKey,
			"CONTROL_TOKEN="+strings.Repeat("t", 32), "PUBLIC_URL=https://uat.example")
		if !strings.HasSuffix(output, want) || strings.Contains(output, "refuses to start") {
			t.Errorf("%s: output %s, want %q", profile, output, want)
		}
	}
}

func TestMalformedMasterKeyIsRefused(t *testing.T) {
	servertest.Proves(t, "Chosen, process: the master key has 32 bytes in base64")
	t.Parallel()
	url := storagetest.URL(t)
	for _, key := range []string{"short", "AAAA", masterKey[:43], masterKey + "AAAA", "not base64 at all, but long enough to be it.", " "} {
		output := servertest.Refusal(t, "DATABASE_URL="+url, "--data-dir", t.TempDir(), "MASTER_KEY="+key)
		if !strings.Contains(output, "MASTER_KEY: want 32 bytes in base64") {
			t.Errorf("MASTER_KEY %q: output %s", key, output)
		}
	}
}

// TestMasterKeyMustBeThatOfTheDatabase checks that a server with another key, or
// with the public one, refuses to start and does not print the key.
func TestMasterKeyMustBeThatOfTheDatabase(t *testing.T) {
	servertest.Proves(t, "Chosen, process: the master key seals webhook secrets and headers")
	t.Parallel()
	url := storagetest.URL(t)
	servertest.Start(t, "DATABASE_URL="+url, "--data-dir", t.TempDir(), "MASTER_KEY="+masterKey).Kill()
	other := strings.Replace(masterKey, "A", "B", 1)
	for _, arguments := range [][]string{{"MASTER_KEY=" + other}, {}} {
		output := servertest.Refusal(t, append(arguments, "DATABASE_URL="+url, "--data-dir", t.TempDir())...)
		if !strings.Contains(output, "made with another master key") {
			t.Errorf("output %s", output)
		}
		if strings.Contains(output, other) {
			t.Errorf("the key is printed: %s", output)
		}
	}
	servertest.Start(t, "DATABASE_URL="+url, "--data-dir", t.TempDir(), "MASTER_KEY="+masterKey)
}

// TestRefusedStartChangesNothing checks that a server leaves no schema behind if its
// object store belongs to another environment or database, or its master key is wrong,
// and that doctor names the same reasons.
func TestRefusedStartChangesNothing(t *testing.T) {
	t.Parallel()
	url, other, objects := storagetest.URL(t), storagetest.URL(t), "OBJECTS_URL=file://"+t.TempDir()
	key, wrongKey := "MASTER_KEY="+masterKey, "MASTER_KEY="+strings.Replace(masterKey, "A", "B", 1)
	servertest.Start(t, "DATABASE_URL="+url, objects, key, "--data-dir", t.TempDir()).Kill()
	schemas := func() []string {
		var names []string
		for _, url := range []string{url, other} {
			found, err := storage.All[struct{ Name string }](t.Context(), storagetest.Open(t, url), `
				select schema_name || '.' || coalesce(table_name, '') as name
				from information_schema.schemata
				left join information_schema.tables on table_schema = schema_name
				where schema_name !~ '^(pg_|information_schema)'
				order by 1`, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, schema := range found {
				names = append(names, schema.Name)
			}
		}
		return names
	}
	before := schemas()
	for _, test := range []struct {
		arguments []string
		check     string // of doctor
		want      string
	}{
		{[]string{"DATABASE_URL=" + url, "ENVIRONMENT=staging", objects, key}, "marker of the object store", "and this server uses the environment staging of the database"},
		{[]string{"DATABASE_URL=" + other, "ENVIRONMENT=staging", objects, key}, "marker of the object store", "it belongs to the environment sandbox of the database"},
		{[]string{"DATABASE_URL=" + url, objects, wrongKey}, "master key", "made with another master key"},
	} {
		arguments := append(test.arguments, "--data-dir", t.TempDir())
		if output := servertest.Refusal(t, arguments...); !strings.Contains(output, test.want) {
			t.Errorf("%v: output %s, want %q", test.arguments, output, test.want)
		}
		output, err := servertest.Command(t, append([]string{"doctor"}, arguments...)...).CombinedOutput()
		found := false
		for line := range strings.Lines(string(output)) {
			found = found || strings.HasPrefix(line, "failed   "+test.check+": ") && strings.Contains(line, test.want)
		}
		if err == nil || !found {
			t.Errorf("%v: doctor: %v, output %s, want %q", test.arguments, err, output, test.want)
		}
	}
	if after := schemas(); !slices.Equal(before, after) {
		t.Errorf("tables %v, want %v", after, before)
	}
	output, err := servertest.Command(t, "doctor", "DATABASE_URL="+url, objects, key, "--data-dir", t.TempDir()).CombinedOutput()
	if err != nil {
		t.Errorf("doctor with the right configuration: %v, output %s", err, output)
	}
}

// TestLocalProfileRefusesADatabaseOfUAT checks that no demo credentials are created in a
// database that a server of the profile uat has used.
func TestLocalProfileRefusesADatabaseOfUAT(t *testing.T) {
	s := servertest.New(t)
	s.Exec("delete from tenants")
	arguments := []string{
		"PROFILE=local", "DATABASE_URL=" + s.DB.Config().ConnString(), "MASTER_KEY=" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("k"), 32)),
		"OBJECTS_URL=file://" + s.Files + "/objects", "--data-dir", t.TempDir(),
	}
	if _, err := s.App.Collector().Collect(t.Context()); err != nil {
		t.Fatal(err)
	}
	output := servertest.Refusal(t, arguments...)
	if want := "profile local refuses to start: servers of the profile uat use the environment sandbox of this database"; !strings.Contains(output, want) {
		t.Errorf("output %s, want %q", output, want)
	}
	if tenants := servertest.Value[int](s, "select count(*) from tenants"); tenants != 0 {
		t.Errorf("%d tenants were created", tenants)
	}
}

// TestImpossibleUploadLimitIsRefused checks that a limit on uploads that no server could keep is refused.
func TestImpossibleUploadLimitIsRefused(t *testing.T) {
	t.Parallel()
	for _, limit := range []string{"0", "9223372036854775807"} {
		output := servertest.Refusal(t, "--data-dir", t.TempDir(), "MAX_UPLOAD_BYTES="+limit)
		if want := "MAX_UPLOAD_BYTES is " + limit + ": want 1 to 1099511627776"; !strings.Contains(output, want) {
			t.Errorf("%q is missing in: %s", want, output)
		}
	}
}
