package console

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestNestedJSONIsNotIndented checks that the text of a client or a receiver, which may be
// nested as deeply as possible and may be cut off, does not get much larger on a page.
func TestNestedJSONIsNotIndented(t *testing.T) {
	nested := func(depth, values int, end string) string {
		return strings.Repeat("[", depth) + strings.Repeat("1,", values) + "1" + strings.Repeat(end, depth)
	}
	for name, text := range map[string]string{
		"deep":               nested(9_990, 22_000, "]"),
		"too deep for Go":    nested(30_000, 1, "]"),
		"cut off":            nested(9_990, 22_000, ""),
		"objects":            strings.Repeat(`{"a":`, 9_000) + "1" + strings.Repeat("}", 9_000),
		"as deep as allowed": nested(20, 9_999, "]"),
		"many values":        nested(1, 490_000, "]"),
	} {
		got, err := indented(text)
		if limit := maxGrowth * len(text); err != nil || len(got) > limit {
			t.Errorf("%s: %d bytes on the page, %v, want at most %d", name, len(got), err, limit)
		}
	}
	for _, text := range []string{nested(21, 1, "]"), nested(21, 1, ""), nested(20, 1_000, "]"), nested(1, 10_000, "]")} {
		if got, err := indented(text); got != text || err != nil {
			t.Errorf("a text of %d bytes is shown with %d, %v, want it unchanged", len(text), len(got), err)
		}
	}
	var value any
	if err := json.Unmarshal([]byte(nested(100, 1_000, "]")), &value); err != nil {
		t.Fatal(err)
	}
	if got, err := indented(value); err != nil || len(got) > 10_000 {
		t.Errorf("a nested value has %d bytes on the page, %v", len(got), err)
	}
	for _, given := range []any{`{"a":["<b>",{}]}`, map[string]any{"a": []any{"<b>", map[string]any{}}}} {
		want := "{\n  \"a\": [\n    \"<b>\",\n    {}\n  ]\n}"
		if got, err := indented(given); got != want || err != nil {
			t.Errorf("got\n%s, %v\nwant\n%s", got, err, want)
		}
	}
	if got, err := indented("{no JSON"); got != "{no JSON" || err != nil {
		t.Errorf("text that is not JSON is shown as %q, %v", got, err)
	}
}
