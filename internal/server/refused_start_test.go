package server_test

import (
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
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

const masterKey = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

// TestUATProfileRefusesAnUnsafeConfiguration checks that the server names every
// reason not to start, and no other.
func TestUATProfileRefusesAnUnsafeConfiguration(t *testing.T) {
	t.Parallel()
	output := servertest.Refusal(t, "--profile", "uat", "--data-dir", t.TempDir())
	for _, reason := range []string{"MASTER_KEY is not set", "DATABASE_URL is not set", "CONTROL_TOKEN is not set"} {
		if !strings.Contains(output, reason) {
			t.Errorf("reason %q is not in: %s", reason, output)
		}
	}
	// A local server has used this database. The database server of the tests runs
	// without fsync.
	arguments := []string{"DATABASE_URL=" + storagetest.URL(t), "MASTER_KEY=" + masterKey, "--data-dir", t.TempDir()}
	servertest.Start(t, arguments...).Kill()
	output = servertest.Refusal(t, append(arguments, "PROFILE=uat", "CONTROL_TOKEN=t")...)
	for _, reason := range []string{"demo credentials", "fsync is off"} {
		if !strings.Contains(output, reason) {
			t.Errorf("reason %q is not in: %s", reason, output)
		}
	}
	for _, absent := range []string{"MASTER_KEY", "DATABASE_URL", "CONTROL_TOKEN"} {
		if strings.Contains(output, absent) {
			t.Errorf("%s is a reason in: %s", absent, output)
		}
	}
}

func TestMalformedMasterKeyIsRefused(t *testing.T) {
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
