package server_test

import (
	"bytes"
	"net/http"
	"os"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage/storagetest"
	"understudy.example/internal/storage/storagetest/s3test"
)

// withS3 returns the arguments of a server on the database and the object store.
func withS3(t *testing.T, databaseURL, objectsURL string) []string {
	t.Helper()
	return append(s3test.Environment(), "--database-url", databaseURL, "--data-dir", t.TempDir(), "--objects-url", objectsURL, "MASTER_KEY="+masterKey)
}

// TestSubmissionsWithS3 runs a server whose files are in S3. During an outage of S3,
// uploads get 503 with a hint and submissions wait; everything continues afterwards.
func TestSubmissionsWithS3(t *testing.T) {
	servertest.Proves(t,
		"Chosen, process: with an s3 URL, they are in a bucket of an S3-compatible store",
		"Chosen, bearer token and API key: object store away or full: 503 with Retry-After")
	t.Parallel()
	s3 := s3test.Start(t)
	p := servertest.Start(t, withS3(t, storagetest.URL(t), s3.ObjectsURL("team/uat"))...)
	s := p.Server()
	s.ControlURL, s.ControlClient = p.ControlURL+"/control/v1", http.DefaultClient
	acme := s.Acme()
	large := append(bytes.Clone(servertest.Letter), bytes.Repeat([]byte(" \n"), 6<<20)...) // several parts
	works := func() {
		t.Helper()
		var txIDs []string
		for _, content := range [][]byte{servertest.Letter, large} {
			txIDs = append(txIDs, acme.SubmitFile("a.txt", content))
		}
		for _, txID := range txIDs {
			acme.AwaitStatus(txID, "Completed")
		}
	}
	works()
	tenant := s.NewTenant(`{"pacing":{"mode":"timed","scheduled":"1h","started":"1h","finished":"1h"}}`)
	waits := tenant.SubmitFile("a.txt", large)

	s3.Stop()
	_, url := acme.Announce("a.txt")
	for _, got := range []servertest.Response{
		s.Upload(url, "a.txt", servertest.Letter),
		s.Upload(url, "a.txt", large),
		acme.SubmitDirectly("v4", "a.txt", servertest.Letter),
	} {
		got.Want(t, http.StatusServiceUnavailable, `{"message":"Service Unavailable"}`)
		if hint := got.Header.Get("X-Understudy-Hint"); got.Header.Get("Retry-After") == "" || !strings.Contains(hint, "the object store of the server is away") {
			t.Errorf("header %v", got.Header)
		}
	}
	for range 2 {
		tenant.Control("POST /clock", `{"advance":"3h"}`).Want(t, http.StatusOK)
	}
	if got := tenant.Status(waits).Text(t, "status"); got != "Started" {
		t.Errorf("status %s, want Started", got)
	}
	if !strings.Contains(p.Output.String(), "the bucket \\\"understudy\\\" at http://"+s3.Address+" cannot be reached") {
		t.Error("the log does not explain the outage")
	}

	s3.Restart()
	tenant.AwaitStatus(waits, "Completed")
	servertest.Until(t, "uploads work", func() bool { return s.Upload(url, "a.txt", servertest.Letter).Status == http.StatusOK })
	works()
}

// TestWrongS3ConfigurationIsRefused checks that a server with a wrong configuration of S3
// does not start, and that it and server doctor say what to change.
func TestWrongS3ConfigurationIsRefused(t *testing.T) {
	t.Parallel()
	s3 := s3test.Start(t)
	url := storagetest.URL(t)
	right := s3.ObjectsURL("a")
	servertest.Start(t, withS3(t, url, right)...).Kill()
	refused := func(want string, arguments ...string) {
		t.Helper()
		if output := servertest.Refusal(t, arguments...); !strings.Contains(output, want) {
			t.Errorf("the server says %s, want %q", output, want)
		}
		command := servertest.Command(t, append([]string{"doctor"}, arguments...)...)
		out, err := command.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "failed   object store: ") || !strings.Contains(string(out), want) {
			t.Errorf("server doctor says %s, %v, want %q", out, err, want)
		}
	}
	refused("the credentials were rejected: check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", append(withS3(t, url, right), "AWS_SECRET_ACCESS_KEY=wrong")...)
	refused(`the bucket "other" at http://`+s3.Address+" does not exist", withS3(t, url, strings.Replace(right, "s3://understudy", "s3://other", 1))...)
	refused("no credentials were found: set AWS_ACCESS_KEY_ID",
		"--database-url", url, "--data-dir", t.TempDir(), "--objects-url", right, "MASTER_KEY="+masterKey, "AWS_EC2_METADATA_DISABLED=true", "HOME="+t.TempDir())
	refused(`the parameter "bucket" is unknown: known are endpoint, region and path_style`, withS3(t, url, right+"&bucket=a")...)
	s3.Restart("--readonly")
	refused("the credentials are not allowed to write", withS3(t, url, right)...)
	s3.Stop()
	refused("cannot be reached", withS3(t, url, right)...)
}

// TestS3OfAnotherDatabaseIsRefused checks that a server does not start on the prefix of
// another database, and names both.
func TestS3OfAnotherDatabaseIsRefused(t *testing.T) {
	servertest.Proves(t, "Chosen, process: a server refuses to start on the object store of another database")
	t.Parallel()
	s3 := s3test.Start(t)
	one, two := storagetest.URL(t), storagetest.URL(t)
	servertest.Start(t, withS3(t, one, s3.ObjectsURL("a"))...)
	output := servertest.Refusal(t, withS3(t, two, s3.ObjectsURL("a"))...)
	for _, url := range []string{one, two} {
		if name := storagetest.Open(t, url).Config().ConnConfig.Database; !strings.Contains(output, name) {
			t.Errorf("output %s, want the database %s", output, name)
		}
	}
	servertest.Start(t, withS3(t, two, s3.ObjectsURL("b"))...)
	servertest.Start(t, withS3(t, one, s3.ObjectsURL("a"))...)
}

// TestUploadToS3UsesConstantMemory checks that the server does not hold a file in memory
// that it stores in S3: an upload needs the memory of three parts of 5 MiB, and the
// garbage collector lets it double.
func TestUploadToS3UsesConstantMemory(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("memory is read from /proc, which does not exist here")
	}
	t.Parallel()
	p := servertest.Start(t, withS3(t, storagetest.URL(t), s3test.Start(t).ObjectsURL(""))...)
	grown := memoryOfUpload(t, p)
	t.Logf("resident memory grew by %d MiB", grown>>20)
	if grown >= 48<<20 {
		t.Errorf("resident memory grew by %d MiB during an upload of 100 MiB, want less than 48", grown>>20)
	}
}
