package extract

import "errors"

// Limits of the parts of an Extraction. Clients get the parts with the status of a
// submission.
const (
	MaxParts    = 2_000
	MaxPartName = 255   // bytes, as of the name of the document
	MaxPartNote = 1_000 // bytes
)

// Check returns an error if a text of the part is too long.
func (p Part) Check() error {
	if len(p.Name) > MaxPartName || len(p.Format) > MaxPartName || len(p.Note) > MaxPartNote {
		return errors.New("a name, format or note of a part is too long")
	}
	return nil
}
