package apitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/url"
	"strings"
	"unicode/utf8"
)

// decode reads a body as the value that a schema describes: JSON as itself, a
// form as an object of its fields, all else as a string.
func decode(kind string, params map[string]string, body []byte) (any, error) {
	switch {
	case kind == "application/json" || strings.HasSuffix(kind, "+json"):
		return decodeJSON(body)
	case kind == "application/x-www-form-urlencoded":
		form, err := url.ParseQuery(string(body))
		return fields(form), err
	case kind == "multipart/form-data":
		return decodeMultipart(multipart.NewReader(bytes.NewReader(body), params["boundary"]))
	default:
		return string(body), nil
	}
}

func decodeMultipart(parts *multipart.Reader) (any, error) {
	form := map[string][]string{}
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			return fields(form), nil
		}
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(part)
		if err != nil {
			return nil, err
		}
		form[part.FormName()] = append(form[part.FormName()], string(text))
	}
}

// fields is a form as JSON: a field that is repeated becomes an array.
func fields(form map[string][]string) any {
	object := map[string]any{}
	for name, values := range form {
		if len(values) == 1 {
			object[name] = values[0]
			continue
		}
		array := []any{}
		for _, value := range values {
			array = append(array, value)
		}
		object[name] = array
	}
	return object
}

// decodeJSON reads one JSON value with nothing after it. Unlike encoding/json
// it takes neither a key twice in one object nor text that is not UTF-8.
func decodeJSON(text []byte) (any, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("not UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	value, err := decodeValue(decoder)
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("not JSON: more after the end")
	}
	return value, nil
}

func decodeValue(decoder *json.Decoder) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		object := map[string]any{}
		for decoder.More() {
			key, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			name := key.(string)
			if _, twice := object[name]; twice {
				return nil, fmt.Errorf("key %q twice", name)
			}
			if object[name], err = decodeValue(decoder); err != nil {
				return nil, err
			}
		}
		_, err = decoder.Token()
		return object, err
	case json.Delim('['):
		array := []any{}
		for decoder.More() {
			value, err := decodeValue(decoder)
			if err != nil {
				return nil, err
			}
			array = append(array, value)
		}
		_, err = decoder.Token()
		return array, err
	default:
		return token, nil
	}
}
