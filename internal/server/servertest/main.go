package servertest

import (
	"flag"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"testing"

	"understudy.example/internal/storage/storagetest"
	"understudy.example/internal/worker"
)

// Main runs a package's tests and exits. Call it from TestMain: it turns the
// worker processes of the tests, which run the test's binary, into workers,
// discards the log, removes what the tests leave behind, and, when all tests
// were run, fails if they do not prove the sentences of the specification that
// the package must prove.
func Main(m *testing.M) {
	worker.Main()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	code := storagetest.Run(m)
	if code == 0 && allTestsRan() {
		if err := checkProved(callingPackage(), recordedSentences()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// allTestsRan reports whether the flags select all tests.
func allTestsRan() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list", "test.bench", "test.fuzz"} {
		if flag.Lookup(name).Value.String() != "" {
			return false
		}
	}
	return !testing.Short()
}

// callingPackage returns the path, below internal, of the package whose TestMain
// calls Main.
func callingPackage() string {
	counter, _, _, _ := runtime.Caller(2)
	name := runtime.FuncForPC(counter).Name() // understudy.example/internal/hooks/delivery_test.TestMain
	_, path, _ := strings.Cut(name, "/internal/")
	path, _, _ = strings.Cut(path, ".")
	return strings.TrimSuffix(path, "_test")
}

func recordedSentences() map[string]bool {
	recorded := map[string]bool{}
	proved.Range(func(name, _ any) bool {
		recorded[name.(string)] = true
		return true
	})
	return recorded
}
