package api

import "github.com/google/uuid"

// ParseID reads an id in the one form that answers write; uuid.Parse takes more.
func ParseID(text string) (uuid.UUID, bool) {
	id, err := uuid.Parse(text)
	return id, err == nil && id.String() == text
}
