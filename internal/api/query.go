package api

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// MaxLimit is the largest value of the parameter limit in lists of the control API.
const MaxLimit = 1000

// ReadQuery reads the parameters of a query. For each known parameter, a function
// parses the value and reports whether it is valid. Unknown and repeated parameters
// are rejected.
func ReadQuery(query url.Values, parameters map[string]func(value string) bool) error {
	for name, values := range query {
		read, known := parameters[name]
		if !known {
			return BadRequest("unknown parameter %q", name)
		}
		if value := values[0]; len(values) > 1 || !read(value) {
			return BadRequest("%s: invalid value %q", name, value)
		}
	}
	return nil
}

// ParseLimit returns a function for ReadQuery that parses a limit from 1 to MaxLimit.
func ParseLimit(to *int) func(string) bool {
	return func(value string) bool {
		n, err := strconv.Atoi(value)
		*to = n
		return err == nil && n >= 1 && n <= MaxLimit
	}
}

// ParseFlag returns a function for ReadQuery that parses true or false.
func ParseFlag(to *bool) func(string) bool {
	return func(value string) bool { *to = value == "true"; return *to || value == "false" }
}

// ParseInstant returns a function for ReadQuery that parses a time in RFC 3339 format.
func ParseInstant(to **time.Time) func(string) bool {
	return func(value string) bool {
		at, err := time.Parse(time.RFC3339, value)
		*to = &at
		return err == nil
	}
}

// ParseUUID returns a function for ReadQuery that parses a UUID.
func ParseUUID(to **uuid.UUID) func(string) bool {
	return func(value string) bool {
		id, err := uuid.Parse(value)
		*to = &id
		return err == nil
	}
}

// ParseStatuses returns a function for ReadQuery that parses a status code or a class
// of status codes: "503" or "5xx". It accepts 0 to 999.
func ParseStatuses(lowest, highest *int) func(string) bool {
	return func(value string) bool {
		class, isClass := strings.CutSuffix(value, "xx")
		n, err := strconv.ParseUint(class, 10, 16)
		*lowest, *highest = int(n), int(n)
		if isClass {
			*lowest, *highest = int(n)*100, int(n)*100+99
		}
		return err == nil && *highest <= 999
	}
}
