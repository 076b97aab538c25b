package assign

import (
	"strings"

	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// boxed matches a ticked box and the option after it.
var boxed = lazyregexp.New(`(` + parse.Ticked + `|[×✕✖])\s*([^☐□▢☒☑✓✔✅■×✕✖\[(\n]+)`)

var openBox = lazyregexp.New(parse.Unticked)

// chosen returns the ticked options of a text that lists options with boxes: "£5m" for
// "☐ £2m  ☒ £5m". It returns other texts, and texts without a ticked box, unchanged.
func chosen(value string) string {
	found := boxed.FindAllStringSubmatch(words.Cut(value, maxOptions), -1)
	if len(found) == 0 || len(found) == 1 && !openBox.MatchString(value) && !strings.Contains(value, "   ") || parse.IsAnswer(value) {
		return value // also "2 × 500 kVA"
	}
	var options []string
	for _, m := range found {
		option, _, _ := strings.Cut(strings.TrimSpace(m[2]), "   ")
		options = append(options, strings.TrimSpace(option))
	}
	return strings.Join(options, "; ")
}

const maxOptions = 1000 // bytes

// lineAtStart returns the line of business at the start of a line that states its limits after a gap:
// "Umbrella    5M over the GL". It returns other texts unchanged.
func lineAtStart(text string) string {
	head, _, ok := strings.Cut(text, "   ")
	if !ok {
		head, _, ok = strings.Cut(text, "\t")
	}
	if ok && len(vocabulary.Covers().Whole(head, 1)) > 0 {
		return strings.TrimSpace(head)
	}
	return text
}
