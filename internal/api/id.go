package api

import (
	"strings"

	"github.com/google/uuid"
)

// ParseID parses a UUID and reports whether it is valid. Unlike uuid.Parse, it
// accepts only the canonical form, in which responses show it, in either case.
func ParseID(text string) (uuid.UUID, bool) {
	id, err := uuid.Parse(text)
	return id, err == nil && strings.EqualFold(id.String(), text)
}
