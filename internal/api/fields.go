package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ReadFields reads the JSON object in the request's body. The object may have only the
// known keys; an empty body is an empty object. Like the other functions of this file,
// it serves the control API: the message of its *Error names the invalid field.
func ReadFields(r *http.Request, known ...string) (Object, error) {
	return ReadFieldsWithin(r, controlBounds, known...)
}

// ReadFieldsWithin is ReadFields with other bounds of the body.
func ReadFieldsWithin(r *http.Request, bounds Bounds, known ...string) (Object, error) {
	if r.ContentLength == 0 {
		return Object{}, nil
	}
	body, err := readWithin(r, bounds, MessageErrors)
	if err != nil {
		return nil, err
	}
	return body, checkKeys("", body, known)
}

// ReadObject reads an object inside the body, which may have only the known keys. at
// is its path, such as settings.pacing.
func ReadObject(at string, text json.RawMessage, known ...string) (Object, error) {
	var object Object
	if json.Unmarshal(text, &object) != nil || object == nil {
		return nil, BadRequest("%s: want an object", at)
	}
	return object, checkKeys(at, object, known)
}

// ReadObjects reads an array of objects inside the body. at is its path. The caller checks
// their keys.
func ReadObjects(at string, text json.RawMessage, limit int) ([]Object, error) {
	var objects []Object
	if json.Unmarshal(text, &objects) != nil || objects == nil || len(objects) > limit || slices.ContainsFunc(objects, func(o Object) bool { return o == nil }) {
		return nil, BadRequest("%s: want an array of at most %d objects", at, limit)
	}
	return objects, nil
}

// fieldMessage matches a message that begins with the path of a field.
var fieldMessage = regexp.MustCompile(`^[a-z0-9_]+[a-z0-9_.\[\]-]*: `)

// ErrorAt returns the error with the path of the object in whose fields it was found, if
// it is an *Error of the control API.
func ErrorAt(at string, err error) error {
	var refused *Error
	if !errors.As(err, &refused) {
		return err
	}
	message := refused.hint // equal to the message in errors of the control API
	switch name, unknown := strings.CutPrefix(message, "unknown field \""); {
	case unknown:
		message = `unknown field "` + at + "." + name
	case fieldMessage.MatchString(message):
		message = at + "." + message
	default:
		message = at + ": " + message
	}
	return NewControlError(refused.Status, message)
}

// CheckKeys returns an error if the object at the path has other keys than the known ones.
func CheckKeys(at string, object Object, known ...string) error { return checkKeys(at, object, known) }

func checkKeys(at string, object Object, known []string) error {
	var unknown []string
	for key := range object {
		if !slices.Contains(known, key) {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	return BadRequest("unknown field %q", FieldPath(at, slices.Min(unknown)))
}

// FieldPath returns the path of a key in the object at a path; the path of the body is
// "".
func FieldPath(at, key string) string {
	return strings.TrimPrefix(at+"."+key, ".")
}

// ElementPath returns the path of an element of the array at a path.
func ElementPath(at string, i int) string { return at + "[" + strconv.Itoa(i) + "]" }

// ReadOneOf reads a string that is one of the choices.
func ReadOneOf(at string, text json.RawMessage, choices ...string) (string, error) {
	var given string
	if json.Unmarshal(text, &given) != nil || !slices.Contains(choices, given) {
		return "", BadRequest("%s: want %s", at, strings.Join(choices, " or "))
	}
	return given, nil
}

// ReadText reads a string that is not blank and has at most 255 bytes.
func ReadText(at string, text json.RawMessage) (string, error) {
	var given string
	if json.Unmarshal(text, &given) != nil || strings.TrimSpace(given) == "" || len(given) > 255 {
		return "", BadRequest("%s: want a string of 1 to 255 bytes", at)
	}
	return given, nil
}

// MaxDuration is the longest duration that ReadDuration accepts.
const MaxDuration = 10 * 366 * 24 * time.Hour

// ReadDuration reads a duration such as 90s, 12h or 2d.
func ReadDuration(at string, text json.RawMessage) (time.Duration, error) {
	var given string
	if json.Unmarshal(text, &given) == nil {
		if d, err := ParseDuration(given); err == nil && d > MaxDuration {
			return 0, BadRequest("%s: want at most %s", at, MaxDuration)
		} else if err == nil && d >= 0 {
			return d.Truncate(time.Microsecond), nil
		}
	}
	return 0, BadRequest("%s: want a duration such as 90s, 12h or 2d", at)
}

// ParseDuration is time.ParseDuration, except that the text can begin with days of 24
// hours: 2d12h.
func ParseDuration(text string) (time.Duration, error) {
	days, rest, found := strings.Cut(text, "d")
	if !found {
		return time.ParseDuration(text)
	}
	n, err := strconv.ParseFloat(days, 64)
	if err != nil || !(n >= 0 && n < 100_000) {
		return 0, fmt.Errorf("%q is not a number of days", days)
	}
	whole := time.Duration(n * float64(24*time.Hour))
	if rest == "" {
		return whole, nil
	}
	more, err := time.ParseDuration(rest)
	return whole + more, err
}

// SameJSON reports whether two values have the same JSON.
func SameJSON(a, b any) bool {
	before, err1 := json.Marshal(a)
	after, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && bytes.Equal(before, after)
}
