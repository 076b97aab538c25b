package syntax

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"understudy.example/internal/api"
)

// messagePath matches the path in a message of an *api.Error.
var messagePath = regexp.MustCompile(`^(?:unknown field "([^"]+)"|([^ ]+): )`)

// Locate converts an *api.Error, whose message begins with the path of a value, to an *Error with
// the position of this value. It returns other errors unchanged.
func Locate(name string, root *yaml.Node, err error) error {
	var refused *api.Error
	if !errors.As(err, &refused) {
		return err
	}
	found := &Error{Name: name, Line: root.Line, Column: root.Column, Message: refused.Message()}
	match := messagePath.FindStringSubmatch(found.Message)
	if match == nil {
		return found
	}
	if match[1] != "" {
		found.Message = match[1] + ": unknown field" + strings.TrimPrefix(found.Message, match[0])
	}
	found.Line, found.Column = place(root, match[1]+match[2])
	return found
}

// place returns the line and the column of the value at the path, or of its key if it is an array
// or an object. If the path does not exist, it returns those of the innermost value on the path
// that does.
func place(node *yaml.Node, path string) (line, column int) {
	line, column = node.Line, node.Column
	for path != "" {
		if node.Kind == yaml.AliasNode {
			node = node.Alias
		}
		key, value, rest := step(node, path)
		if value == nil {
			break
		}
		node, path = value, rest
		line, column = key.Line, key.Column
		if value.Kind == yaml.ScalarNode {
			line, column = value.Line, value.Column
		}
	}
	return line, column
}

// step returns the child of the node that is first on the path, its key, and the rest of the
// path. Names can contain dots, so step uses the longest key that matches.
func step(node *yaml.Node, path string) (key, value *yaml.Node, rest string) {
	switch node.Kind {
	case yaml.SequenceNode:
		number, after, found := strings.Cut(strings.TrimPrefix(path, "["), "]")
		i, err := strconv.Atoi(number)
		if !found || err != nil || i < 0 || i >= len(node.Content) {
			return nil, nil, ""
		}
		return node.Content[i], node.Content[i], strings.TrimPrefix(after, ".")
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			name := node.Content[i].Value
			after, fits := strings.CutPrefix(path, name)
			if !fits || after != "" && after[0] != '.' && after[0] != '[' {
				continue
			}
			if key == nil || len(name) > len(key.Value) {
				key, value, rest = node.Content[i], node.Content[i+1], strings.TrimPrefix(after, ".")
			}
		}
	}
	return key, value, rest
}
