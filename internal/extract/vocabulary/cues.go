package vocabulary

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed cues.tsv
var cuesFile string

// ValueKind is the kind of a value in a sentence, as a class of cues.tsv names it.
type ValueKind string

// The kinds of values in sentences.
const (
	Sum    ValueKind = "sum"
	Date   ValueKind = "date"
	Year   ValueKind = "year"
	Period ValueKind = "period"
)

// Cues returns the words in sentences that name the fields of values of the kind. The class of a term is ">" if the
// value can only follow it, "<" if it can only precede it, "<?" if it can only precede it and other words take
// precedence, ">*" if the value can only follow it in a text about premiums, "^" if it must be in capitals, and "!" if
// every value in its clause is to be ignored.
func Cues(kind ValueKind) *Table { return cues()[kind] }

var cues = sync.OnceValue(func() map[ValueKind]*Table {
	tables := map[ValueKind]*Table{}
	for _, kind := range []ValueKind{Sum, Date, Year, Period} {
		tables[kind] = newTable()
	}
	for _, e := range entries(cuesFile) {
		kind := strings.TrimRight(e.Class, "<>!?^*")
		e.Class = e.Class[len(kind):]
		tables[ValueKind(kind)].add(e)
	}
	return tables
})
