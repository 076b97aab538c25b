package observe_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/extract/observe"
)

// TestRead compares what is observed in texts. Each observation is written as its kind, its
// box, its label and text, and the headings above it.
func TestRead(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{
			"ticked boxes below a heading", `
## 6. Coverages requested

* Property [x]
* Cyber [ ]`, `
heading Coverages requested
item ticked Property <Coverages requested>
item open Cyber <Coverages requested>`,
		},
		{
			"boxes beside each other, before their texts", `
Cover required: ☐ Third party only   ☒ Comprehensive`, `
item open Third party only <|Cover required>
item ticked Comprehensive <|Cover required>`,
		},
		{
			"boxes behind their texts", `
Yes [x]  No [ ]`, `
item ticked Yes
item open No`,
		},
		{
			"a box with X between lines", `
_X_ Dwellings   _ _ Crop hail`, `
item ticked Dwellings
item open Crop hail`,
		},
		{
			"a list below an introduction", `
Requested terms:
- $3M cyber liability
- $25K retention

The insured reports no events of any kind this year.`, `
heading Requested terms
item $3M cyber liability <Requested terms>
item $25K retention <Requested terms>
text The insured reports no events of any kind this year. <Requested terms>`,
		},
		{
			"labels with values", `
Named insured: Alder Mills Ltd
Inception: 12:30 on 4 May`, `
pair Named insured = Alder Mills Ltd
pair Inception = 12:30 on 4 May`,
		},
		{
			"a heading in capitals, and an answer", `
COVERAGES REQUESTED
Flood y/n: y
Crime y/n: n`, `
heading COVERAGES REQUESTED
pair ticked Flood = y <COVERAGES REQUESTED>
pair open Crime = n <COVERAGES REQUESTED>`,
		},
		{
			"a question above boxes", `
7. Which sections do you require, please?
[x] Buildings [ ] Money`, `
text Which sections do you require, please?
item ticked Buildings <|Which sections do you require, please?>
item open Money <|Which sections do you require, please?>`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var lines []observe.Line
			for text := range strings.SplitSeq(strings.TrimPrefix(test.text, "\n"), "\n") {
				lines = append(lines, observe.Line{Text: text})
			}
			var got strings.Builder
			for _, o := range observe.Read(lines) {
				got.WriteString("\n" + describe(o))
			}
			if diff := cmp.Diff(test.want, got.String()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func describe(o observe.Observation) string {
	words := []string{[]string{"text", "heading", "item", "pair"}[o.Kind]}
	if o.Box != observe.NoBox {
		words = append(words, []string{"", "ticked", "open"}[o.Box])
	}
	if o.Label != "" {
		words = append(words, o.Label, "=")
	}
	words = append(words, o.Text)
	if above := strings.TrimRight(o.Headings[0]+"|"+o.Headings[1], "|"); above != "" {
		words = append(words, "<"+above+">")
	}
	return strings.Join(words, " ")
}

// TestPartsAreSeparate checks that a heading of one part is not above lines of the next.
func TestPartsAreSeparate(t *testing.T) {
	t.Parallel()
	found := observe.Read([]observe.Line{{Text: "COVERAGES"}, {Text: "- Flood", Part: 1}})
	if len(found) != 2 || found[1].Headings != [2]string{} {
		t.Errorf("got %+v", found)
	}
}
