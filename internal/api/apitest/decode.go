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

// decode decodes a body to the value that its schema describes: JSON to its
// value, a form to an object of its fields, anything else to a string.
func decode(mediaType string, params map[string]string, body []byte) (any, error) {
	switch {
	case mediaType == "application/json" || strings.HasSuffix(mediaType, "+json"):
		return decodeJSON(body)
	case mediaType == "application/x-www-form-urlencoded":
		form, err := url.ParseQuery(string(body))
		return formObject(form), err
	case mediaType == "multipart/form-data":
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
			return formObject(form), nil
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

// formObject converts a form to a JSON object. A repeated field becomes an array.
func formObject(form map[string][]string) any {
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

// decodeJSON decodes a single JSON value. Unlike json.Unmarshal, it rejects
// duplicate keys and invalid UTF-8.
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
		return nil, errors.New("not JSON: data after the value")
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
			if _, duplicate := object[name]; duplicate {
				return nil, fmt.Errorf("duplicate key %q", name)
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
