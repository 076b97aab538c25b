package seed_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/seed"
)

// FuzzFormat checks that each text in a configuration is the same after it was exported as
// a seed and read again.
func FuzzFormat(f *testing.F) {
	for _, text := range []string{
		"", " ", "a", "true", "yes", "~", "null", "123", "02110", "0x1f", "1e3", ".inf", "2027-01-01", "2027-01-01T00:00:00Z", "# no comment", "a: b", "a #b",
		"- a", "[a]", "{a}", "*a", "&a", "!a", "'", `"`, `\`, "a\nb", "a\n", "\n", "\ta", "a\t", "a\r\nb", "\u0085", "\u2028", "\x7f", "\u0090", "\ufeff", "é", "😀", "%a", "@", "`", "<<", "=", "|", ">", "?", ":", "a:", "-", "---", "...",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		valid, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if json.Unmarshal(valid, &text) != nil { // without bytes that are not UTF-8
			t.Fatal(text)
		}
		outcomes, err := json.Marshal([]any{map[string]any{"match": map[string]any{"filename": text}, "facts": map[string]any{text: []any{text, 1, 1.5, true, nil}}}})
		if err != nil {
			t.Fatal(err)
		}
		formatted, err := seed.Format([]seed.Tenant{{Name: "a", Configuration: map[string]json.RawMessage{"tenant": json.RawMessage(`"a"`), "outcomes": outcomes}}})
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := seed.Parse("seed.yaml", formatted)
		for _, r := range text {
			if r == 0 && err != nil {
				return // refused, because it cannot be stored
			}
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, formatted)
		}
		var want, got any
		if json.Unmarshal(outcomes, &want) != nil || json.Unmarshal(parsed.Tenants()[0].Configuration["outcomes"], &got) != nil {
			t.Fatal("not JSON")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (- before):\n%s\n%s", text, diff, formatted)
		}
	})
}
