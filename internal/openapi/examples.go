package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"understudy.example/internal/version"
)

// addExamples returns the document with the recorded responses as examples. A
// response that several operations share shows the examples of the first one
// only.
func addExamples(document, recorded []byte) ([]byte, error) {
	var tree yaml.Node
	if err := yaml.Unmarshal(document, &tree); err != nil {
		return nil, err
	}
	var examples map[string]map[string]map[string]json.RawMessage
	if err := json.Unmarshal(recorded, &examples); err != nil {
		return nil, err
	}
	root := tree.Content[0]
	lookup(root, "info", "version").Value = version.String()
	for _, operation := range slices.Sorted(maps.Keys(examples)) {
		method, path, _ := strings.Cut(operation, " ")
		responses := lookup(root, "paths", path, strings.ToLower(method), "responses")
		for status, named := range examples[operation] {
			response := lookup(responses, status)
			if ref := lookup(response, "$ref"); ref != nil {
				response = lookup(root, strings.Split(strings.TrimPrefix(ref.Value, "#/"), "/")...)
			}
			media := lookup(response, "content", "application/json")
			if media == nil {
				return nil, fmt.Errorf("%s has no response %s", operation, status)
			}
			if err := addToMedia(media, named); err != nil {
				return nil, err
			}
		}
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	err := encoder.Encode(&tree)
	return out.Bytes(), err
}

// lookup returns the node at the path of keys, or nil if there is none.
func lookup(node *yaml.Node, path ...string) *yaml.Node {
	for _, key := range path {
		node = resolveAlias(node)
		if node == nil || node.Kind != yaml.MappingNode {
			return nil
		}
		var found *yaml.Node
		for i := 0; i < len(node.Content); i += 2 {
			if node.Content[i].Value == key {
				found = node.Content[i+1]
			}
		}
		node = found
	}
	return resolveAlias(node)
}

// resolveAlias returns the node that a YAML alias refers to.
func resolveAlias(node *yaml.Node) *yaml.Node {
	if node != nil && node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

// addToMedia adds the named examples to a media type. They replace its single
// `example`.
func addToMedia(media *yaml.Node, named map[string]json.RawMessage) error {
	all := lookup(media, "examples")
	if all == nil {
		for i := 0; i < len(media.Content); i += 2 {
			if media.Content[i].Value == "example" {
				media.Content = slices.Delete(media.Content, i, i+2)
				break
			}
		}
		all = &yaml.Node{Kind: yaml.MappingNode}
		media.Content = append(media.Content, scalar("examples"), all)
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if lookup(all, name) != nil {
			continue
		}
		var value yaml.Node
		if err := yaml.Unmarshal(named[name], &value); err != nil { // JSON is YAML
			return err
		}
		blockStyle(value.Content[0])
		all.Content = append(all.Content, scalar(name), &yaml.Node{
			Kind: yaml.MappingNode, Content: []*yaml.Node{scalar("value"), value.Content[0]},
		})
	}
	return nil
}

func scalar(text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: text} }

// blockStyle makes the encoder write a value on several lines. Its strings stay
// quoted.
func blockStyle(node *yaml.Node) {
	if node.Kind != yaml.ScalarNode {
		node.Style = 0
	}
	for _, inner := range node.Content {
		blockStyle(inner)
	}
}
