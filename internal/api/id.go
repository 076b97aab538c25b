package api

import "github.com/google/uuid"

// ParseID parses a UUID and reports whether it is valid. Unlike uuid.Parse, it
// accepts only the canonical form, which responses use.
func ParseID(text string) (uuid.UUID, bool) {
	id, err := uuid.Parse(text)
	return id, err == nil && id.String() == text
}
