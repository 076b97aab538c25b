package seed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"understudy.example/internal/seed/syntax"
)

// Tenant is a tenant of a seed as the control API takes it.
type Tenant struct {
	Name          string
	Configuration map[string]json.RawMessage // body of an import
	Clock         json.RawMessage            // nil = none
	Documents     int
}

// Tenants returns the tenants of the seed.
func (f *File) Tenants() []Tenant {
	tenants := make([]Tenant, len(f.tenants))
	for i, t := range f.tenants {
		tenants[i] = Tenant{t.name, map[string]json.RawMessage{}, t.body["clock"], len(t.documents)}
		for key, value := range t.body {
			if key != "clock" {
				tenants[i].Configuration[key] = value
			}
		}
	}
	return tenants
}

// order are the keys of a tenant in the order in which Format writes them.
var order = []string{"tenant", "clients", "settings", "clock", "packages", "outcomes", "faults", "hooks"}

// Format returns a seed with tenants as they are exported.
func Format(tenants []Tenant) ([]byte, error) {
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for _, t := range tenants {
		entry := &yaml.Node{Kind: yaml.MappingNode}
		for _, key := range order {
			raw := t.Configuration[key]
			if key == "clock" {
				raw = t.Clock
			}
			if raw == nil {
				continue
			}
			value, err := toYAML(json.NewDecoder(bytes.NewReader(raw)))
			if err != nil {
				return nil, fmt.Errorf("format seed: %s of %s: %w", key, t.Name, err)
			}
			entry.Content = append(entry.Content, scalar("!!str", key), value)
		}
		list.Content = append(list.Content, entry)
	}
	if len(tenants) == 0 {
		list.Style = yaml.FlowStyle // []
	}
	root := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{scalar("!!str", "version"), scalar("!!int", "1"), scalar("!!str", "tenants"), list}}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := errors.Join(encoder.Encode(root), encoder.Close()); err != nil {
		return nil, fmt.Errorf("format seed: %w", err)
	}
	if out.Len() > syntax.MaxBytes {
		fix := "export fewer tenants at a time"
		if len(tenants) == 1 {
			fix = "delete some of the tenant's outcomes"
		}
		return nil, fmt.Errorf("the seed is larger than %d MiB: %s", syntax.MaxBytes>>20, fix)
	}
	return out.Bytes(), nil
}

func scalar(tag, value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
}

// toYAML converts the next value of the decoder, in the order of its keys.
func toYAML(decoder *json.Decoder) (*yaml.Node, error) {
	decoder.UseNumber()
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch value := token.(type) {
	case json.Delim:
		node := &yaml.Node{Kind: yaml.SequenceNode}
		if value == '{' {
			node.Kind = yaml.MappingNode
		}
		for decoder.More() {
			element, err := toYAML(decoder) // in an object, a key or a value
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, element)
		}
		if len(node.Content) == 0 {
			node.Style = yaml.FlowStyle
		}
		_, err := decoder.Token()
		return node, err
	case json.Number:
		if strings.ContainsAny(value.String(), ".eE") {
			return scalar("!!float", value.String()), nil
		}
		return scalar("!!int", value.String()), nil
	case bool:
		return scalar("!!bool", fmt.Sprint(value)), nil
	case nil:
		return scalar("!!null", "null"), nil
	case string:
		node := scalar("!!str", value)
		var parsed yaml.Node
		if yaml.Unmarshal([]byte(value), &parsed) != nil || len(parsed.Content) != 1 || parsed.Content[0].Kind != yaml.ScalarNode ||
			parsed.Content[0].Tag != "!!str" || parsed.Content[0].Value != value {
			node.Style = yaml.DoubleQuotedStyle // without quotes, it would have another meaning
		}
		return node, nil
	}
	return nil, io.ErrUnexpectedEOF
}
