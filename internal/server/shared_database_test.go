package server_test

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/server"
	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
	"understudy.example/internal/universal"
)

// rowsOf returns a server whose rows can be read, on a database that processes use.
func rowsOf(t *testing.T, url string) *servertest.Server {
	t.Helper()
	db, err := storage.Open(t.Context(), url, storagetest.Environment)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return &servertest.Server{T: t, DB: db}
}

// TestServersShareADatabase makes each call of a submission at another server than
// the one before, and checks that each submission is processed once.
func TestServersShareADatabase(t *testing.T) {
	servertest.Proves(t, "Chosen, process: with a file URL, they are in that directory")
	t.Parallel()
	url := storagetest.URL(t)
	arguments := []string{"--database-url", url, "--objects-url", "file://" + t.TempDir()}
	var processes []*servertest.Process
	var clients []servertest.Client
	for range 2 {
		p := servertest.Start(t, append(arguments, "--data-dir", t.TempDir())...)
		processes = append(processes, p)
		clients = append(clients, p.Server().Acme())
	}
	clients[1].Token = clients[0].Token // a token is valid at both
	var submitted []string
	for i := range 20 {
		here, there := i%2, (i+1)%2
		txID, upload := clients[here].Announce("a.txt")
		upload = processes[there].API + upload[strings.Index(upload, "/file-transfer"):]
		clients[there].Upload(upload, "a.txt", servertest.Letter).Want(t, http.StatusOK)
		first := clients[here].Trigger(txID).Want(t, http.StatusOK)
		clients[there].Trigger(txID).Want(t, http.StatusOK, first.Body)
		submitted = append(submitted, txID)
	}
	rows := rowsOf(t, url)
	for i, txID := range submitted {
		done := clients[i%2].AwaitStatus(txID, "Completed")
		clients[(i+1)%2].Status(txID).Want(t, http.StatusOK, done.Body)
		if got := rows.Timeline(txID); got != "Submission_in_progress Scheduled Started Completed" {
			t.Errorf("timeline %s", got)
		}
		if got := servertest.Value[int](rows, "select attempt from submissions where tx_id = $1", txID); got != 1 {
			t.Errorf("%d attempts, want 1", got)
		}
		if got := servertest.Value[int](rows, "select count(*) from reports where tx_id = $1", txID); got != 1 {
			t.Errorf("%d reports, want 1", got)
		}
	}
}

// TestStartReleasesLeasesOfAPrivateDatabase checks that a starting server takes over
// the work of a killed one at once if the database is its own, and otherwise leaves
// the leases to expire.
func TestStartReleasesLeasesOfAPrivateDatabase(t *testing.T) {
	s := servertest.New(t)
	acme := s.Acme()
	acme.Do("POST /hooks", `{"url":"https://example.com/in","active":true,"events":["*"]}`).Want(t, http.StatusCreated)
	acme.SubmitFile("a.txt", servertest.Letter)
	s.Pass(2 * time.Second)
	if _, err := universal.Advance(t.Context(), s.DB, s.Now()); err != nil { // to Started
		t.Fatal(err)
	}
	s.Exec("update submissions set lease_until = '2100-01-01'")
	s.Exec("update deliveries set lease_until = '2100-01-01'")
	config := server.Config{Environment: "sandbox", DataDir: t.TempDir(), MasterKey: base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("k"), 32))}
	for _, test := range []struct{ databaseURL, leased string }{
		{s.DB.Config().ConnString(), "true and true"},
		{"", "false and false"},
	} {
		config.DatabaseURL = test.databaseURL
		if _, err := config.PrepareDatabase(t.Context(), s.DB); err != nil {
			t.Fatal(err)
		}
		got := servertest.Value[string](s, `
			select (select bool_or(lease_until is not null)::text from submissions) || ' and ' || (select bool_or(lease_until is not null)::text from deliveries)`)
		if got != test.leased {
			t.Errorf("DATABASE_URL %q: submissions and deliveries leased: %s, want %s", test.databaseURL, got, test.leased)
		}
	}
}
