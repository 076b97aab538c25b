package extract_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"understudy.example/internal/extract"
)

// wantValues extracts a text and checks which values it has. A value is written as field=value, with
// its lines separated by ", "; one of the second location begins with "2.". An unwanted entry can also be a
// field alone.
func wantValues(t *testing.T, file, text string, wanted, unwanted []string) {
	t.Helper()
	text = strings.TrimPrefix(text, "\n")
	e, err := extract.Extract(t.Context(), file, strings.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	add := func(field, value string) { got = append(got, field+"="+strings.ReplaceAll(value, "\n", ", ")) }
	for _, v := range slices.Concat(e.Facts, e.Options) {
		add(v.Field, v.Text)
	}
	for n, row := range e.Locations {
		for _, v := range row {
			add(strconv.Itoa(n+1)+"."+v.Field, v.Text)
		}
	}
	for _, want := range wanted {
		if !slices.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, strings.Join(got, "\n"))
		}
	}
	for _, value := range got {
		if field, _, _ := strings.Cut(value, "="); slices.Contains(unwanted, value) || slices.Contains(unwanted, field) {
			t.Errorf("got %s", value)
		}
	}
}
