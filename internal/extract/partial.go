package extract

import "understudy.example/internal/document/content"

// cutShort reports whether the part was only partly read: the missing rest may state
// something else.
func cutShort(part content.Part) bool {
	return part.Cause == content.Limit || part.Cause == content.Damaged
}
