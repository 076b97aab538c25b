package vocabulary

import (
	_ "embed"
	"sync"
)

//go:embed parties.tsv
var partiesFile string

//go:embed requests.tsv
var requestsFile string

// Parties returns the words that say which party a name or an address in a sentence
// belongs to.
var Parties = sync.OnceValue(func() *Table { return parse(partiesFile) })

// Requests returns the words in sentences that ask for covers.
var Requests = sync.OnceValue(func() *Table { return parse(requestsFile) })
