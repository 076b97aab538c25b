package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// reading returns a reading of a field with a single value, with features that are 1.
func reading(field, text string, place int, features ...Feature) Reading {
	r := Reading{Field: field, Text: text, Key: text, Group: Group(field, "text"), Place: place, Evidence: "line " + string(rune('a'+place))}
	for _, f := range append(features, Always) {
		r.Features[f] = 1
	}
	return r
}

// given returns the values that the fitted model gives.
func given(readings ...Reading) map[string]string {
	found := map[string]string{}
	for field, values := range Fitted.Decide(Fitted.Values(readings)) {
		for _, v := range values {
			if v.Given {
				found[field] += v.Text + ";"
			}
		}
	}
	return found
}

func TestWhatIsGiven(t *testing.T) {
	inception := func(text string, place int, features ...Feature) Reading {
		r := reading("policy_inception_date", text, place, features...)
		r.Group = "dates"
		return r
	}
	claimed := func(field, text string, place int, features ...Feature) Reading {
		r := reading(field, text, place, features...)
		r.Claim = "name " + text
		return r
	}
	entry := func(text string, place int) Reading {
		r := reading("coverage", text, place, Synonym)
		r.List = true
		return r
	}
	for name, c := range map[string]struct {
		readings []Reading
		want     map[string]string
	}{
		"a label alone": {
			[]Reading{inception("2026-03-01", 1, Label)},
			map[string]string{"policy_inception_date": "2026-03-01;"},
		},
		"a sentence of the newest mail corrects labels of older ones": {
			[]Reading{inception("2026-03-15", 1, Prose), inception("2026-03-01", 5, Label, Quoted), inception("2026-03-01", 9, Label, Quoted)},
			map[string]string{"policy_inception_date": "2026-03-15;"},
		},
		"a label is more certain than a sentence": {
			[]Reading{inception("2026-03-15", 1, Prose), inception("2026-03-01", 5, Label)},
			map[string]string{"policy_inception_date": "2026-03-01;"},
		},
		"three places are more certain than one": {
			[]Reading{inception("2026-03-15", 1, Label), inception("2026-03-01", 2, Label), inception("2026-03-01", 3, Synonym), inception("2026-03-01", 4, Prose)},
			map[string]string{"policy_inception_date": "2026-03-01;"},
		},
		"a name belongs to one party": {
			[]Reading{claimed("broker_name", "Quill Partners Ltd", 1, Label, Legal), claimed("company_name", "Quill Partners Ltd", 2, Guess, Legal)},
			map[string]string{"broker_name": "Quill Partners Ltd;"},
		},
		"a list has all its entries in the order of the document": {
			[]Reading{entry("Property", 2), entry("Cyber", 1)},
			map[string]string{"coverage": "Cyber;Property;"},
		},
	} {
		if diff := cmp.Diff(c.want, given(c.readings...)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// TestFormsOfOneValue checks that a shorter form of a value is no evidence against it.
func TestFormsOfOneValue(t *testing.T) {
	street, whole := reading("address", "1millstreet", 1, Label), reading("address", "1millstreetderby", 2, Label)
	other := reading("address", "9highroad", 2, Label)
	probability := func(readings ...Reading) float64 {
		values := Fitted.Values(readings)
		return Probability(values, len(values)-1)
	}
	if with, against := probability(street, whole), probability(other, whole); with <= against {
		t.Errorf("probability %.2f beside a shorter form, %.2f beside another value", with, against)
	}
}

func TestTableOfWeights(t *testing.T) {
	var written strings.Builder
	if err := Fitted.Write(&written); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(modelTable, written.String()); diff != "" {
		t.Errorf("the table changes if it is read and written:\n%s", diff)
	}
	for _, wrong := range []string{"weight\tall\tlabel", "weight\tall\tcolour\t1", "weight\tall\tlabel\tmuch", "height\tall\tlabel\t1"} {
		if _, err := Parse("# a comment\n" + wrong + "\n"); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: error %v", wrong, err)
		}
	}
}
