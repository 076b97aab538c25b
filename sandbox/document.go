package sandbox

// DocumentWindow is a piece of a submission's document, as it was read.
type DocumentWindow struct {
	Parts  []DocumentPart  `json:"parts"`  // the file itself, then the files inside it
	Part   int             `json:"part"`   // that Blocks are of, an index of Parts
	Blocks []DocumentBlock `json:"blocks"` // in reading order
	Next   string          `json:"next"`   // "" if there is no more
}

// DocumentPart is a file of a document.
type DocumentPart struct {
	Name   string `json:"name"`
	Format string `json:"format"`
	Note   string `json:"note"` // why it was skipped or only partly read
}

// DocumentBlock is a line, a label with its value, or rows of a table. Its place is the
// evidence of the values extracted from it.
type DocumentBlock struct {
	Place string           `json:"place"`
	Text  string           `json:"text"`
	Label string           `json:"label"`
	Value string           `json:"value"`
	Rows  [][]DocumentCell `json:"rows"`
}

// DocumentCell is a cell of a table.
type DocumentCell struct {
	Ref   string `json:"ref"` // such as B7
	Place string `json:"place"`
	Text  string `json:"text"`
}
