// Package syntax converts seeds from YAML to JSON, and finds the positions of errors in them. It
// does not know what a seed contains.
package syntax

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"understudy.example/internal/api"
)

// Limits of a seed, which count an aliased value each time that it is used.
const (
	MaxBytes   = 8 << 20
	maxValues  = 1_000_000
	maxJSON    = 2 * MaxBytes // of the JSON, in which escapes can be longer than in YAML
	maxNesting = api.MaxNesting + levelsAbove

	// levelsAbove is the number of levels by which the value of an outcome is nested deeper in a seed than in the call
	// that created it: the list of tenants, the tenant, its list of outcomes and the outcome.
	levelsAbove = 4
)

// Error is an error in a seed, with its position in the file.
type Error struct {
	Name         string // of the file
	Line, Column int    // from 1; 0 = unknown
	Message      string // with the path of the value
}

// Error returns the file, the place and the message, as compilers do.
func (e *Error) Error() string {
	at := e.Name
	if e.Line > 0 {
		at += ":" + strconv.Itoa(e.Line)
	}
	if e.Column > 0 {
		at += ":" + strconv.Itoa(e.Column)
	}
	return at + ": " + e.Message
}

// Parse parses the only document in a YAML text, and returns it also as JSON. The error is
// an *Error.
func Parse(name string, text []byte) (root *yaml.Node, converted []byte, err error) {
	if root, err = parseYAML(name, text); err != nil {
		return nil, nil, err
	}
	e := encoder{name: name}
	err = e.encode(root, "", 0)
	return root, e.out.Bytes(), err
}

func parseYAML(name string, text []byte) (*yaml.Node, error) {
	if len(text) > MaxBytes {
		return nil, &Error{name, 0, 0, fmt.Sprintf("the file is larger than %d MiB", MaxBytes>>20)}
	}
	var root, another yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	err := decoder.Decode(&root)
	if err == nil {
		switch second := decoder.Decode(&another); {
		case second == nil:
			return nil, &Error{name, another.Line, another.Column, "want one YAML document"}
		case !errors.Is(second, io.EOF):
			err = second
		}
	}
	if errors.Is(err, io.EOF) || err == nil && len(root.Content) == 0 {
		return nil, &Error{name, 0, 0, "the file is empty"}
	}
	if err != nil {
		return nil, syntaxError(name, err)
	}
	return root.Content[0], nil
}

// lineInError matches the line in an error of the YAML parser.
var lineInError = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

func syntaxError(name string, err error) error {
	match := lineInError.FindStringSubmatch(err.Error())
	if match == nil {
		return &Error{name, 0, 0, err.Error()}
	}
	line, _ := strconv.Atoi(match[1])
	return &Error{name, line, 0, "not valid YAML: " + strings.TrimPrefix(err.Error(), match[0])}
}

// encoder converts YAML nodes to JSON.
type encoder struct {
	name   string // of the file
	out    bytes.Buffer
	values int
}

// encode appends the JSON of the node, which is at the path. The error is an *Error.
func (e *encoder) encode(node *yaml.Node, path string, depth int) error {
	if e.values++; e.values > maxValues {
		return e.fail(node, path, "the file has more than %d values", maxValues)
	}
	if e.out.Len() > maxJSON {
		return e.fail(node, path, "the values of the file are larger than %d MiB with those of its aliases", maxJSON>>20)
	}
	if depth > maxNesting {
		return e.fail(node, path, "arrays and objects are nested more than %d deep", maxNesting)
	}
	switch node.Kind {
	case yaml.AliasNode:
		return e.encode(node.Alias, path, depth+1)
	case yaml.MappingNode:
		return e.encodeMapping(node, path, depth)
	case yaml.SequenceNode:
		e.out.WriteByte('[')
		for i, element := range node.Content {
			if i > 0 {
				e.out.WriteByte(',')
			}
			if err := e.encode(element, api.ElementPath(path, i), depth+1); err != nil {
				return err
			}
		}
		e.out.WriteByte(']')
		return nil
	}
	return e.encodeScalar(node, path)
}

func (e *encoder) encodeMapping(node *yaml.Node, path string, depth int) error {
	if node.Tag != "!!map" {
		return e.fail(node, path, "the tag %s is not allowed", node.Tag)
	}
	seen := make(map[string]bool, len(node.Content)/2)
	e.out.WriteByte('{')
	for i := 0; i < len(node.Content); i += 2 {
		key := node.Content[i]
		if key.Kind != yaml.ScalarNode || key.Tag != "!!str" {
			return e.fail(key, path, "want a text as the key: write it in quotes")
		}
		at := api.FieldPath(path, key.Value)
		if seen[key.Value] {
			return e.fail(key, at, "the key is given twice")
		}
		seen[key.Value] = true
		if i > 0 {
			e.out.WriteByte(',')
		}
		if err := e.encodeScalar(key, at); err != nil {
			return err
		}
		e.out.WriteByte(':')
		if err := e.encode(node.Content[i+1], at, depth+1); err != nil {
			return err
		}
	}
	e.out.WriteByte('}')
	return nil
}

// number matches the numbers that mean the same in YAML and in JSON. Other numbers, such as
// 02110, mean something else in YAML than people expect.
var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

func (e *encoder) encodeScalar(node *yaml.Node, path string) error {
	switch node.Tag {
	case "!!str", "!!timestamp":
		if !utf8.ValidString(node.Value) || strings.ContainsRune(node.Value, 0) {
			return e.fail(node, path, "the text has a NUL character, or is not valid UTF-8")
		}
		text, err := json.Marshal(node.Value)
		if err != nil {
			return e.fail(node, path, "%s", err)
		}
		e.out.Write(text)
	case "!!int", "!!float":
		if !number.MatchString(node.Value) {
			return e.fail(node, path, "write it as a decimal number, or in quotes if it is a text") // it may be a secret
		}
		e.out.WriteString(node.Value)
	case "!!bool":
		e.out.WriteString(strings.ToLower(node.Value))
	case "!!null":
		e.out.WriteString("null")
	default:
		return e.fail(node, path, "the tag %s is not allowed", node.Tag)
	}
	return nil
}

func (e *encoder) fail(node *yaml.Node, path, format string, args ...any) error {
	message := fmt.Sprintf(format, args...)
	if path != "" {
		message = path + ": " + message
	}
	return &Error{e.name, node.Line, node.Column, message}
}
