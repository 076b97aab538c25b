package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// answers are real answers of the emulator, by operation and status code, each
// under a name: a test writes them (documented_test.go). They stand apart so
// that openapi.yaml can be read.
//
//go:embed answers.json
var answers []byte

// published is the document with the answers as its examples.
var published = sync.OnceValues(func() ([]byte, error) { return withExamples(document, answers) })

// examples are answers by operation, status code and name, each as it came.
type examples map[string]map[string]map[string]json.RawMessage

// withExamples puts the answers into the document. What several operations
// share shows the first one's.
func withExamples(document, answers []byte) ([]byte, error) {
	var tree yaml.Node
	if err := yaml.Unmarshal(document, &tree); err != nil {
		return nil, err
	}
	var given examples
	if err := json.Unmarshal(answers, &given); err != nil {
		return nil, err
	}
	root := tree.Content[0]
	for _, line := range slices.Sorted(maps.Keys(given)) {
		method, path, _ := strings.Cut(line, " ")
		responses := at(root, "paths", path, strings.ToLower(method), "responses")
		for status, named := range given[line] {
			response := at(responses, status)
			if ref := at(response, "$ref"); ref != nil {
				response = at(root, strings.Split(strings.TrimPrefix(ref.Value, "#/"), "/")...)
			}
			media := at(response, "content", "application/json")
			if media == nil {
				return nil, fmt.Errorf("%s has no answer %s", line, status)
			}
			if err := addExamples(media, named); err != nil {
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

// at returns the node at the path of keys, nil where there is none.
func at(node *yaml.Node, path ...string) *yaml.Node {
	for _, key := range path {
		node = behind(node)
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
	return behind(node)
}

// behind is the node that an alias stands for.
func behind(node *yaml.Node) *yaml.Node {
	if node != nil && node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

// addExamples adds the named values to a media type, in place of one example.
func addExamples(media *yaml.Node, named map[string]json.RawMessage) error {
	all := at(media, "examples")
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
		if at(all, name) != nil {
			continue
		}
		var value yaml.Node
		if err := yaml.Unmarshal(named[name], &value); err != nil { // JSON is YAML
			return err
		}
		inBlocks(value.Content[0])
		all.Content = append(all.Content, scalar(name), &yaml.Node{
			Kind: yaml.MappingNode, Content: []*yaml.Node{scalar("value"), value.Content[0]},
		})
	}
	return nil
}

func scalar(text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: text} }

// inBlocks has a value written over lines, its texts still in quotes.
func inBlocks(node *yaml.Node) {
	if node.Kind != yaml.ScalarNode {
		node.Style = 0
	}
	for _, inner := range node.Content {
		inBlocks(inner)
	}
}

// openapi answers with the document of the API.
func openapi(w http.ResponseWriter, _ *http.Request) {
	text, err := published()
	if err != nil {
		text = document // a test sees to it that this never happens
	}
	w.Header().Set("Content-Type", "application/yaml")
	w.Write(text) // the connection is gone
}
