package api

import (
	"errors"
	"mime"
)

// maxMediaType is the maximum size in bytes of a Content-Type. A boundary has at most 70 characters, and
// thousands of short parameters take milliseconds.
const maxMediaType = 1000

var errLongMediaType = errors.New("the media type is too long")

// ParseMediaType is mime.ParseMediaType for headers from clients. It returns an error for a header of more than
// maxMediaType bytes without parsing it.
func ParseMediaType(header string) (kind string, params map[string]string, err error) {
	if len(header) > maxMediaType {
		return "", nil, errLongMediaType
	}
	return mime.ParseMediaType(header)
}
