package text_test

import (
	"strings"
	"testing"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/documenttest"
)

func TestJSON(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, data, want string }{
		{"labels", `{"legalName": "Quill and Sons", "year_founded": 1994, "dba": null, "grossRevenueUSD": 5.5e6, "lines": ["Property", "Crime"], "isMutual": false}`, "Legal name = Quill and Sons\nYear founded = 1994\nGross revenue USD = 5.5e6\nLines = Property, Crime\nIs mutual = false\n"},
		{"sections", "// a comment\n{\"applicant\": {\"mailing\": {\"line1\": \"1 Mill Street\"},\n\"phone\": \"555\"}}", "// a comment\n\nApplicant\nPhone = 555\n\nApplicant mailing\nLine 1 = 1 Mill Street\n"},
		{"tables", `{"sites": [{"id": 1, "limits": {"building": 10, "id": "x"}}, {"id": 2, "note": "n", "limits": {"building": null}}]}`, "\nSites\n[]\n  Id|Building|Limits id|Note|\n  1|10|x|\n  2|||n|\n"},
		{"rows of lists", `[{"street": "1 Mill Street", "buildings": [{"year": 1990}, {"year": 2001}]}]`, "[]\n  Street|Year|\n  1 Mill Street|1990|\n  1 Mill Street|2001|\n"},
		{"lines", "{\"a\": 1, \"b\": 2}\n{\"a\": 3}\n", "[]\n  A|B|\n  1|2|\n  3|\n"},
		{"damaged", "{\"a\": 1,\n\"b\"", "{\"a\": 1,\n\"b\"\n"},
		{"deep", `{"a": ` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "}", `{"a": ` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "}\n"},
	} {
		got := documenttest.Show(documenttest.MustRead(t, "a.txt", tt.data)[0])
		if got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
	many := documenttest.MustRead(t, "a.json", `{"a": [`+strings.Repeat("1,", 300_000)+`1]}`)[0]
	if many.Cause != content.Limit || len(many.Blocks) != 1 {
		t.Errorf("many values: got note %q and %d blocks", many.Note, len(many.Blocks))
	}
}

func FuzzJSON(f *testing.F) {
	f.Add(`"legalName": "Quill", "sites": [{"id": 1, "limits": {"building": 10}, "buildings": [{"year": 1990}]}], "lines": ["Property"]}`)
	f.Add(`"a_b-c": null, "USDNet1": true}{"a": [[{"b": {}}]]}`)
	f.Add(`"": [` + strings.Repeat(`{"a":[`, 20))
	f.Fuzz(func(t *testing.T, data string) { documenttest.Check(t, "a.json", `{"a": 1, `+data) })
}
