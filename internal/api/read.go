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

// maxJSONBytes is the maximum size of a JSON body.
const maxJSONBytes = 1 << 20

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

var (
	errMalformed = errors.New("malformed JSON")
	errTooLarge  = errors.New("body too large")
)

// Read reads the request body, which must be a single JSON object of at most
// 1 MiB in valid UTF-8. The object must not contain keys that differ only in
// case, or strings with NUL characters or unpaired surrogates, which cannot be
// stored. An error is an *Error with status 400 or 413.
func Read(r *http.Request, format ErrorFormat) (Object, error) {
	object, err := decodeObject(r)
	switch {
	case errors.Is(err, errTooLarge):
		return nil, &Error{Status: http.StatusRequestEntityTooLarge, Body: format(http.StatusRequestEntityTooLarge, "Request Too Long")}
	case err != nil:
		return nil, &Error{Status: http.StatusBadRequest, Body: format(http.StatusBadRequest, "Invalid request body")}
	}
	return object, nil
}

func decodeObject(r *http.Request) (Object, error) {
	if r.ContentLength > maxJSONBytes {
		return nil, errTooLarge
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxJSONBytes+1))
	if err != nil {
		return nil, errMalformed
	}
	if len(body) > maxJSONBytes {
		return nil, errTooLarge
	}
	if !utf8.Valid(body) || !json.Valid(body) || !storable(body) {
		return nil, errMalformed
	}
	// Decode token by token, because json.Unmarshal matches keys without regard
	// to case and silently uses the last of duplicate keys.
	decoder := json.NewDecoder(bytes.NewReader(body))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
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
