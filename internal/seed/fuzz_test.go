package seed_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"understudy.example/internal/seed"
)

// FuzzParse checks that any text is a valid seed, or is refused with an *Error.
func FuzzParse(f *testing.F) {
	example, err := os.ReadFile("../../examples/seed.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{string(example), "version: 1\ntenants:" + whole, "a: &a [*a]", "{", "- a\n b", "\ufeffversion: 1", "? [a]\n: b", "a: |\n  b", "!a b", "%YAML 1.1"} {
		f.Add(text)
	}
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		file, err := seed.Parse("seed.yaml", []byte(text))
		if err == nil {
			file.Clients()
			file.Tenants()
			err = file.Check(now)
		}
		var refused *seed.Error
		if err != nil && !errors.As(err, &refused) {
			t.Errorf("%T: %v", err, err)
		}
	})
}
