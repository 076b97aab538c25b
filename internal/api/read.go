package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Bounds limit a JSON body.
type Bounds struct {
	Bytes   int64
	Nesting int // of arrays and objects, the body itself included
	Values  int // elements of arrays and fields of objects, in all
	Objects int // arrays and objects, in all; 0 = no limit
}

// MaxNesting is the maximum nesting of the objects that Read and ReadFields accept. It
// is far below the limit of encoding/json, because stored values are nested more deeply
// in responses.
const MaxNesting = 100

// jsonBounds are the bounds of the emulated API's JSON bodies, which have few fields.
var jsonBounds = Bounds{Bytes: 1 << 20, Nesting: MaxNesting, Values: 10_000}

// controlBounds are the bounds of most JSON bodies of the control API. They allow as many values
// as fit in the size.
var controlBounds = Bounds{Bytes: 1 << 20, Nesting: MaxNesting, Values: 1 << 20}

// Object is a JSON object. Unlike the fields of a struct, its keys are
// case-sensitive.
type Object map[string]json.RawMessage

// Text returns the string at key, and reports whether there is one.
func (o Object) Text(key string) (string, bool) {
	raw, ok := o[key]
	if !ok || len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return "", false
	}
	return text, true
}

// readError is why a body is not an object that Read accepts.
type readError struct {
	status  int
	message string
	hint    string
}

func (e *readError) Error() string { return e.hint }

func malformed(hint string) error {
	return &readError{http.StatusBadRequest, "Invalid request body", hint}
}

func outOfBounds(format string, limit int) error {
	message := fmt.Sprintf(format, limit)
	return &readError{http.StatusBadRequest, message, message}
}

func tooLarge(limit int64) error {
	return &readError{http.StatusRequestEntityTooLarge, "Request Too Long", fmt.Sprintf("the JSON body is larger than %d MiB", limit>>20)}
}

// Read reads the request body, which must be a single JSON object of at most 1 MiB in
// valid UTF-8, nested at most MaxNesting deep, without a content encoding. The object
// must not have more than 10,000 values, a key twice, or strings with NUL characters or
// unpaired surrogates, which cannot be stored. Keys that differ only in case are different keys: the caller
// ignores the one that it does not know, or refuses it (ReadFields). An error is an
// *Error with status 400, 413 or 415.
func Read(r *http.Request, format ErrorFormat) (Object, error) {
	return readWithin(r, jsonBounds, format)
}

// readWithin is Read with other bounds.
func readWithin(r *http.Request, bounds Bounds, format ErrorFormat) (Object, error) {
	object, err := decodeObject(r, bounds)
	if refusal := new(readError); errors.As(err, &refusal) {
		return nil, NewErrorBody(refusal.status, format(refusal.status, refusal.message), refusal.hint)
	}
	return object, err
}

func decodeObject(r *http.Request, bounds Bounds) (Object, error) {
	limit := bounds.Bytes
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return nil, &readError{
			http.StatusUnsupportedMediaType, "Unsupported Media Type",
			"the body has the Content-Encoding " + Quote(encoding) + ": send it without one",
		}
	}
	if r.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	body, err := ReadBody(r, limit)
	if errors.Is(err, ErrBodiesBusy) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	if err != nil {
		return nil, malformed("the body ended early")
	}
	if int64(len(body)) > limit {
		return nil, tooLarge(limit)
	}
	pass, err := Turn(r.Context(), len(body))
	if err != nil {
		return nil, err
	}
	defer pass()
	if err := checkText(body); err != nil {
		return nil, err
	}
	if err := bounds.Check(body); err != nil {
		return nil, err
	}
	// json.Unmarshal would silently use the last of duplicate keys, and copy the values.
	if body = bytes.TrimLeft(body, space); body[0] != '{' {
		return nil, malformed("the body is not a JSON object")
	}
	object := Object{}
	for rest := body[1:]; ; {
		if rest = bytes.TrimLeft(rest, space+","); rest[0] == '}' {
			return object, nil
		}
		key, name := rest[:valueLength(rest)], ""
		if err := json.Unmarshal(key, &name); err != nil {
			return nil, malformed("the body is not valid JSON")
		}
		if _, ok := object[name]; ok {
			return nil, malformed("the key " + Quote(name) + " is given twice: send it once")
		}
		rest = bytes.TrimLeft(rest[len(key):], space+":")
		size := valueLength(rest)
		object[name], rest = json.RawMessage(rest[:size:size]), rest[size:]
	}
}

// space are the characters of white space in JSON.
const space = " \t\r\n"

// valueLength returns the number of bytes of the JSON value at the start of text, which
// is inside a valid object.
func valueLength(text []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			if quoted = !quoted; !quoted && depth == 0 {
				return i + 1
			}
		case quoted:
		case c == '{' || c == '[':
			depth++
		case depth == 0 && strings.IndexByte(space+",}", c) >= 0:
			return i
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// maxExponent is the largest exponent of a number in JSON, positive or negative, as in
// float64. PostgreSQL writes a number such as 1e100000 with all its digits.
const maxExponent = 308

// Check returns an error if body, which is valid JSON, is nested too deeply, has too many
// values, arrays or objects, or a number with a larger exponent than maxExponent.
func (b Bounds) Check(body []byte) error {
	depth, values, objects := 0, 0, 0
	quoted, opened := false, false // inside a string; just after the start of an array or object
	for i := 0; i < len(body); i++ {
		c := body[i]
		switch {
		case quoted && c == '\\':
			i++
			continue
		case quoted:
			quoted = c != '"'
			continue
		case strings.IndexByte(space, c) >= 0:
			continue
		case c == ']' || c == '}':
			depth--
			opened = false
			continue
		case c == ',' || opened:
			values++
		case (c == 'e' || c == 'E') && i > 0 && isDigit(body[i-1]) && exponent(body[i+1:]) > maxExponent:
			return malformed(fmt.Sprintf("a number has an exponent beyond %d", maxExponent))
		}
		quoted, opened = c == '"', c == '[' || c == '{'
		if opened {
			depth++
			objects++
		}
		if depth > b.Nesting {
			return outOfBounds("arrays and objects are nested more than %d deep", b.Nesting)
		}
		if values > b.Values {
			return outOfBounds("the body has more than %d values", b.Values)
		}
		if b.Objects > 0 && objects > b.Objects {
			return outOfBounds("the body has more than %d arrays and objects", b.Objects)
		}
	}
	return nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// exponent returns the absolute value of the exponent at the start of the text, or a larger
// one than maxExponent.
func exponent(text []byte) (value int) {
	for _, c := range bytes.TrimLeft(text, "+-") {
		if !isDigit(c) || value > maxExponent {
			break
		}
		value = 10*value + int(c-'0')
	}
	return value
}

// form matches the start of a URL-encoded or multipart form.
var form = regexp.MustCompile(`^(--|[A-Za-z_][\w.%-]*=)`)

// checkText returns an error if the body is not JSON that can be stored.
func checkText(body []byte) error {
	if len(bytes.TrimSpace(body)) == 0 {
		return malformed("the body is empty: send a JSON object")
	}
	switch {
	case len(body) > 1 && (body[0] == 0 || body[1] == 0 || body[0] >= 0xFE && body[1] >= 0xFE):
		return malformed("the body is in UTF-16: send it in UTF-8")
	case bytes.HasPrefix(body, []byte("\xEF\xBB\xBF")):
		return malformed("the body begins with a byte order mark: send it without one")
	case !utf8.Valid(body):
		return malformed("the body is not valid UTF-8")
	}
	if form.Match(body) {
		return malformed("the body is a form: send a JSON object")
	}
	if !json.Valid(body) { // which copies nothing
		return malformed("the body is not valid JSON: " + json.Unmarshal(body, new(json.RawMessage)).Error())
	}
	if !storable(body) {
		return malformed(`a string has \u0000 or an unpaired surrogate, which cannot be stored`)
	}
	return nil
}

// storable reports whether all strings in body, which is valid JSON, can be
// stored unchanged. They must not contain U+0000, which Postgres rejects, or
// unpaired surrogates, which decoding would silently replace. In JSON both can
// only occur as escape sequences.
func storable(body []byte) bool {
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			continue
		}
		if body[i+1] != 'u' {
			i++ // skip the escaped character, which may be a backslash
			continue
		}
		r := escapedCodeUnit(body[i:])
		i += 5
		if utf16.IsSurrogate(r) {
			if utf16.DecodeRune(r, escapedCodeUnit(body[i+1:])) == utf8.RuneError {
				return false
			}
			i += 6
		}
		if r == 0 {
			return false
		}
	}
	return true
}

// escapedCodeUnit returns the UTF-16 code unit of the \u escape at the start of
// b, or -1 if there is none.
func escapedCodeUnit(b []byte) rune {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	unit, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(unit)
}
