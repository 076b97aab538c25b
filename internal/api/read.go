package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxJSON is the largest JSON body taken, in bytes.
const maxJSON = 1 << 20

// Object is a JSON object by its exact keys.
type Object map[string]json.RawMessage

// Text returns the string at key; false when the key is missing or holds
// something else.
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

var (
	errMalformed = errors.New("malformed JSON")
	errTooLarge  = errors.New("body too large")
)

// Read reads the request's body, which must be one JSON object of at most
// 1 MiB, valid UTF-8, without keys that differ only in case and without NUL
// characters or half surrogate pairs, which can't be kept. Its error is a 400 or 413 in the form
// of the family.
func Read(r *http.Request, form Form) (Object, error) {
	object, err := readObject(r)
	switch {
	case errors.Is(err, errTooLarge):
		return nil, &Error{Status: http.StatusRequestEntityTooLarge, Body: form(http.StatusRequestEntityTooLarge, "Request Too Long")}
	case err != nil:
		return nil, &Error{Status: http.StatusBadRequest, Body: form(http.StatusBadRequest, "Invalid request body")}
	}
	return object, nil
}

func readObject(r *http.Request) (Object, error) {
	if r.ContentLength > maxJSON {
		return nil, errTooLarge
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxJSON+1))
	if err != nil {
		return nil, errMalformed
	}
	if len(body) > maxJSON {
		return nil, errTooLarge
	}
	if !utf8.Valid(body) || !json.Valid(body) || !storable(body) {
		return nil, errMalformed
	}
	// Token by token, because encoding/json matches keys without case and lets
	// the last of two win.
	decoder := json.NewDecoder(bytes.NewReader(body))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil, errMalformed
	}
	object, seen := Object{}, map[string]bool{}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, errMalformed
		}
		name, _ := key.(string)
		if folded := strings.ToLower(name); seen[folded] {
			return nil, errMalformed
		} else {
			seen[folded] = true
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, errMalformed
		}
		object[name] = value
	}
	return object, nil
}

// storable tells whether all strings in the valid JSON body can be kept as they
// are: none holds U+0000, which no column takes, or half a surrogate pair,
// which would silently become another character. JSON can only write these as
// escapes.
func storable(body []byte) bool {
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			continue
		}
		if body[i+1] != 'u' {
			i++ // the escaped character, which may be a backslash
			continue
		}
		r := escaped(body[i:])
		i += 5
		if utf16.IsSurrogate(r) {
			if utf16.DecodeRune(r, escaped(body[i+1:])) == utf8.RuneError {
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

// escaped is the code unit of the \u escape that b begins with; -1 when it
// begins with something else.
func escaped(b []byte) rune {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	unit, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(unit)
}
