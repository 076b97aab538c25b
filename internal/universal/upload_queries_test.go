package universal_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestUploadsShareQueries checks that the uploads of a tenant need few queries to find their
// submissions, so that they do not delay the uploads of others, which wait in the same queue
// because their tenant is not known yet.
func TestUploadsShareQueries(t *testing.T) {
	statements := &servertest.Statements{}
	s := servertest.New(t, statements.Record(t))
	acme := s.Acme()
	const calls = 60
	var urls []string
	for range calls {
		_, url := acme.Announce("a.txt")
		urls = append(urls, url)
	}
	statements.Take()
	lock := s.Lock("lock table submissions in access exclusive mode")
	var uploads sync.WaitGroup
	for _, url := range urls {
		uploads.Go(func() { s.Upload(url, "a.txt", servertest.Letter).Want(t, http.StatusOK) })
	}
	servertest.Until(t, "all uploads are in progress", func() bool { return s.App.Requests.InFlight() == calls })
	if err := lock.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	uploads.Wait()
	queries := 0
	for _, statement := range statements.Take() {
		if strings.Contains(statement, "find_tenant") {
			queries++
		}
	}
	if queries > calls/3 {
		t.Errorf("%d queries for the submissions of %d uploads", queries, calls)
	}
}
