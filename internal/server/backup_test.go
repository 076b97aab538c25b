package server_test

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage/storagetest"
)

// TestBackupAndRestore backs up a server while clients use it, as docs/operations.md says,
// and starts another server on the restored database and the copied objects. The first
// server has a shared database or a private one.
func TestBackupAndRestore(t *testing.T) {
	if _, err := exec.LookPath("pg_restore"); err != nil {
		t.Skip("pg_dump and pg_restore are not installed")
	}
	for _, private := range []bool{false, true} {
		name := "shared database"
		if private {
			name = "private database"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dataDir, objects := servertest.DataDir(t), filepath.Join(t.TempDir(), "objects")
			source, key := "service=understudy", "MASTER_KEY_FILE="+filepath.Join(dataDir, "master.key")
			arguments := []string{"--data-dir", dataDir, "--objects-url", "file://" + objects}
			if !private {
				source, key = storagetest.URL(t), "MASTER_KEY="+base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("k"), 32))
				arguments = append(arguments, "--database-url", source, key)
			}
			backUpAndRestore(t, servertest.Start(t, arguments...).Server(), source, dataDir, objects, key)
		})
	}
}

func backUpAndRestore(t *testing.T, s *servertest.Server, source, dataDir, objects, key string) {
	receiver := servertest.NewReceiver(t)
	tenant := s.NewTenant(`{}`)
	tenant.Subscribe(receiver.URL, `"secret":"s"`)
	finished := tenant.SubmitFile("letter.txt", servertest.Letter)
	status := tenant.AwaitStatus(finished, "Completed")
	waiting := s.NewTenant(`{"pacing":{"mode":"timed","scheduled":"1h","started":"2h","finished":"3h"}}`)
	unfinished := waiting.SubmitFile("letter.txt", servertest.Letter)
	untriggered, upload := waiting.Announce("letter.txt")
	waiting.Upload(upload, "letter.txt", servertest.Letter).Want(t, http.StatusOK)

	// The traffic goes on during the backup.
	busy := s.NewTenant(`{}`)
	var stop atomic.Bool
	var submitted atomic.Int64
	var submitting sync.WaitGroup
	submitting.Go(func() {
		for !stop.Load() {
			busy.SubmitFile("letter.txt", servertest.Letter)
			submitted.Add(1)
		}
	})
	servertest.Until(t, "there is traffic", func() bool { return submitted.Load() >= 5 })
	dump, copied := filepath.Join(t.TempDir(), "understudy.dump"), filepath.Join(t.TempDir(), "copied")
	run := func(program string, arguments ...string) {
		t.Helper()
		cmd := exec.Command(program, arguments...)
		cmd.Env = append(os.Environ(), "PGSERVICEFILE="+filepath.Join(dataDir, "pg_service.conf"))
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", program, err, output)
		}
	}
	run("pg_dump", "--format=custom", "--no-owner", "--file="+dump, source)
	run("cp", "-a", objects, copied)
	before := submitted.Load()
	servertest.Until(t, "the traffic has continued", func() bool { return submitted.Load() > before })
	stop.Store(true)
	submitting.Wait()

	restoredURL := emptyDatabase(t)
	run("pg_restore", "--no-owner", "--single-transaction", "--dbname="+restoredURL, dump)
	restored := servertest.Start(t, "--data-dir", t.TempDir(), "--database-url", restoredURL, "--objects-url", "file://"+copied, key).Server()
	in := func(tenant *servertest.Tenant) *servertest.Tenant {
		same := *tenant
		same.Server = restored
		return &same
	}
	tenant, waiting, busy = in(tenant), in(waiting), in(busy)

	// Reports can be read, and access tokens are valid.
	tenant.Status(finished).Want(t, http.StatusOK, status.Body)
	inquiry := tenant.Do("GET /data/v2/"+tenant.CompanyPackage+"/"+finished+"?idType=transaction", "").Want(t, http.StatusOK)
	if got := inquiry.Text(t, "data", "facts", "company_name"); got != "Foxglove Bakery LLC" {
		t.Errorf("company %q", got)
	}
	// The secret of the webhook can be decrypted.
	eventID := tenant.Control("POST /events", `{"event":"quote_request:created","data":{}}`).Want(t, http.StatusOK).Text(t, "event_id")
	servertest.Until(t, "the event is delivered", func() bool { return receiver.Times()[eventID] > 0 })
	for _, received := range receiver.Received() {
		if !received.Verify("s") {
			t.Error("the signature of a delivery is wrong")
		}
	}
	// Unfinished work goes on, with the uploaded files.
	waiting.Trigger(untriggered).Want(t, http.StatusOK)
	waiting.Advance("7h")
	waiting.AwaitStatus(unfinished, "Completed")
	waiting.AwaitStatus(untriggered, "Completed")
	rows := rowsOf(t, restoredURL)
	servertest.Until(t, "the submissions of the backup have ended", func() bool {
		return servertest.Value[int](rows, "select count(*) from submissions where status not in ('Pending', 'Completed', 'Failed')") == 0
	})
	if failed := servertest.Value[int](rows, "select count(*) from submissions where status = 'Failed'"); failed != 0 {
		t.Errorf("%d submissions have failed", failed)
	}
	if n := servertest.Value[int](rows, "select count(*) from submissions where status = 'Completed'"); n < 3 {
		t.Errorf("the backup has only %d submissions", n)
	}
}

// emptyDatabase returns the URL of a new database without a schema.
func emptyDatabase(t *testing.T) string {
	t.Helper()
	databaseURL := storagetest.URL(t)
	db := storagetest.Open(t, databaseURL)
	if _, err := db.Exec(t.Context(), "drop schema "+storagetest.Environment+" cascade"); err != nil {
		t.Fatal(err)
	}
	return databaseURL
}
