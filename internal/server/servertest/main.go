package servertest

import (
	"log/slog"
	"testing"

	"understudy.example/internal/storage/storagetest"
	"understudy.example/internal/worker"
)

// Main runs a package's tests. Call it from TestMain: it turns the worker
// processes of the tests, which run the test's binary, into workers, discards
// the log, and removes what the tests leave behind.
func Main(m *testing.M) {
	worker.Main()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	storagetest.Main(m)
}
