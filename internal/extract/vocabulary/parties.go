package vocabulary

import (
	_ "embed"
	"sync"
)

//go:embed parties.tsv
var partiesFile string

// Parties returns the words that say who a firm or a place in a sentence is.
var Parties = sync.OnceValue(func() *Table { return parse(partiesFile) })
