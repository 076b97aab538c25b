package text_test

import (
	"strings"
	"testing"

	"understudy.example/internal/document/documenttest"
	"understudy.example/internal/document/text"
)

func TestYAML(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, data, want string }{
		{"labels", "legal_name: \"Quill and Sons\"\nyear_founded: 1994 # as filed\ndba: ~\nstart: 2027-01-01\nlines: [\"Property\", 'Crime']\n", "Legal name = Quill and Sons\nYear founded = 1994\nStart = 2027-01-01\nLines = Property, Crime\n"},
		{"sections", "# a comment\napplicant:\n  mailing:\n    line1: \"1 Mill Street\"\n    city: Aldwick\n  phone: \"555\"\n", "\nApplicant\nPhone = 555\n\nApplicant mailing\nLine 1 = 1 Mill Street\nCity = Aldwick\n"},
		{"tables", "ref: 'x'\nsites:\n- {id: 1, limits: {building: 10}}\n- id: 2\n  year: 1990\n  limits: {building: 20}\n", "Ref = x\n\nSites\n[]\n  Id|Building|Year|\n  1|10|\n  2|20|1990|\n"},
		{"lists and texts", "insured:\n  trading_names:\n    - Quill\n    - Sons\n  notes: |\n    Two lines\n    of text.\n  city: Aldwick\n", "\nInsured\nTrading names = Quill, Sons\nNotes = Two lines of text.\nCity = Aldwick\n"},
		{"front matter", "---\ninsured: Quill\nbroker: 'Aldwick'\nstart: 2027-01-01\nlines: [a, b]\n---\n\nPlease quote: soon.\n", "Insured = Quill\nBroker = Aldwick\nStart = 2027-01-01\nLines = a, b\n\nPlease quote: soon.\n"},
		{"damaged", "a_b: \"1\"\nc_d: \"2\"\ne_f: [\"3\"\ng_h: \"4\"\n", "a_b: \"1\"\nc_d: \"2\"\ne_f: [\"3\"\ng_h: \"4\"\n"},
	} {
		got := documenttest.Show(documenttest.MustRead(t, "a.txt", tt.data)[0])
		if got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
	for _, plain := range []string{
		"Insured: Quill\nBroker: Aldwick\nStart: 1.1.2027\nEnd: 1.1.2028\nLines: Property\n",
		"Insured:\n  Name: Quill #4\n  Address: 1 Mill Street\n  City: Aldwick\n  Phone: 555\n",
		"insured: quill\nbroker: aldwick\nstart: 1.1.2027\nlines: property\n",
		"Dear all,\nplease quote:\n  insured: Quill\n  broker: Aldwick\nregards\nAnna\n",
	} {
		if text.LooksLikeYAML(plain) {
			t.Errorf("read as YAML: %q", plain)
		}
	}
}

func FuzzYAML(f *testing.F) {
	f.Add("legal_name: \"Quill\"\nsites:\n- {id: 1, limits: {building: 10}}\n- id: 2\n  limits: {building: 20}\n")
	f.Add("x: &a [*a, *a]\ny: <<: *a\nz: !!binary aGk=\n---\nb: |\n  text\n")
	f.Add(strings.Repeat("- ", 40) + "{" + strings.Repeat("a: [", 40))
	f.Fuzz(func(t *testing.T, data string) {
		documenttest.Check(t, "a.txt", "---\na_b: 'x'\nc_d: [y]\ne_f: {g: h}\ni_j: \"1\"\n"+data)
	})
}
