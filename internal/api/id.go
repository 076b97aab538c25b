package api

import (
	"strings"

	"github.com/google/uuid"
)

// uuidLength is the length of the canonical form of a UUID.
const uuidLength = 36

// ParseID parses a UUID and reports whether it is valid. Unlike uuid.Parse, it
// accepts only the canonical form, in which responses show it, in either case.
func ParseID(text string) (uuid.UUID, bool) {
	if len(text) != uuidLength { // all other forms have other lengths
		return uuid.Nil, false
	}
	id, err := uuid.Parse(text)
	return id, err == nil
}

// CanonicalID returns the text with the UUID at its end in lower case, as transaction
// ids are stored. Those of companies have the tenant's name before the UUID.
func CanonicalID(text string) string {
	start := max(0, len(text)-uuidLength)
	if _, ok := ParseID(text[start:]); ok {
		return text[:start] + strings.ToLower(text[start:])
	}
	return text
}
