package letters

import (
	"slices"
	"strings"

	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

// greetedName matches a line that greets one person, by one or more names: "Dear Ada," or "Sehr geehrte Frau Dr. Quill".
var greetedName = vocabulary.Pattern(`^(?i:{{letters.greeting}})[ ,]+(?:(?i:{{names.form of address}})\.? +)?(?:Dr\.? +)?(\p{Lu}[\pL'’-]+(?: \p{Lu}[\pL'’-]+){0,2})\s*(?:[,:!–-].*)?$`)

// addressedTo matches a line of an address that names a person: "Mr. Ada Quill" or "Attn: Ada Quill".
var addressedTo = vocabulary.Pattern(`^(?:(?i:{{letters.attention}})\.?\s*:?\s*)?(?:(?i:{{names.form of address}})\.? +)?(?:Dr\.? +)?(\p{Lu}[\pL'’-]+(?: \p{Lu}[\pL'’.-]*){1,2})$`)

const (
	maxGreeting   = 40 // lines with text above a greeting
	maxGreetLine  = 80 // bytes of a greeting
	maxRecipients = 3  // in a mail that is to an underwriter
)

// readGreeting extracts the underwriter whom a broker's letter or mail greets, with the whole name that the
// recipients of the mail or the address of the letter state.
func (d *Reader) readGreeting(number int, to string) {
	var names []string // of persons
	if recipients := strings.Split(to, ">,"); to != "" && len(recipients) <= maxRecipients {
		for _, r := range recipients {
			if m, err := parseSender(strings.TrimSuffix(strings.TrimSpace(r), ">") + ">"); err == nil && parse.IsPerson(turned(m.Name)) {
				names = append(names, turned(m.Name))
			}
		}
	}
	seen := 0
	for _, l := range d.Lines {
		text := strings.TrimSpace(l.Text)
		if l.At.Part != number || l.At.Quoted || text == "" || l.Label != "" {
			continue
		}
		if seen++; seen > maxGreeting {
			return
		}
		if len(text) > maxGreetLine {
			continue
		}
		if m := greetedName.FindStringSubmatch(text); m != nil {
			d.greeted(m[1], names, l)
			return
		}
		if m := addressedTo.FindStringSubmatch(text); m != nil && to == "" && parse.IsPerson(m[1]) && !parse.NamesBroker(m[1]) && !parse.InsurerName.MatchString(m[1]) && !parse.JobTitle.MatchString(m[1]) {
			names = append(names, m[1])
		}
	}
}

// greeted proposes the one of the names that has all words of a greeting.
func (d *Reader) greeted(greeting string, names []string, l layout.Line) {
	for _, name := range names {
		held := strings.Fields(words.Key(name))
		if len(held) > 1 && !slices.ContainsFunc(strings.Fields(words.Key(greeting)), func(w string) bool { return !slices.Contains(held, w) }) {
			d.Propose("underwriter", name, source.Signature, fitBeside, l.At)
			return
		}
	}
}
