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

// CanonicalID returns the text with the UUID at its end in lower case, as transaction
// ids are stored. Those of companies have the tenant's name before the UUID.
func CanonicalID(text string) string {
	start := max(0, len(text)-len(uuid.Nil.String()))
	if id, ok := ParseID(text[start:]); ok {
		return text[:start] + id.String()
	}
	return text
}
