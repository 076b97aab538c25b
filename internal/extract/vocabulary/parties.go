package vocabulary

import (
	_ "embed"
	"sync"
)

//go:embed parties.tsv
var partiesFile string

//go:embed connectives.tsv
var connectivesFile string

//go:embed requests.tsv
var requestsFile string

//go:embed denials.tsv
var denialsFile string

// Parties returns the words that say which party a name or an address in a sentence
// belongs to.
var Parties = sync.OnceValue(func() *Table { return parse(partiesFile) })

// Requests returns the words in sentences that ask for covers.
var Requests = sync.OnceValue(func() *Table { return parse(requestsFile) })

// Denials returns the words in sentences that name covers and do not ask for them.
var Denials = sync.OnceValue(func() *Table { return parse(denialsFile) })

// Connectives returns the words that join the parts of a statement, such as the verb between a
// label and its value.
var Connectives = sync.OnceValue(func() *Table { return parse(connectivesFile) })

// Only reports whether a text consists of a single term with the given meaning, apart from
// punctuation.
func (t *Table) Only(text, meaning string) bool {
	words := Words(text)
	found := t.FindWords(words)
	return len(found) == 1 && found[0].Meaning == meaning && found[0].First == 0 && found[0].Last == len(words)-1
}
