package text

import (
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/decode"
	"understudy.example/internal/lazyregexp"
)

const (
	maxYAML      = 2 << 20 // bytes of a YAML text that is read as such
	yamlSample   = 60      // lines that decide whether a text is YAML
	minYAMLPairs = 4       // keys with values or with members, among these lines
)

var (
	// yamlPair matches a line with a key, which has no spaces, and its value, if any.
	yamlPair = lazyregexp.New(`^(\s*(?:- +)?)["']?([A-Za-z_][\w.-]{0,60})["']?:(?:\s+(.*))?$`)
	// yamlOther matches the other lines of most YAML texts: items, comments, and separators of documents.
	yamlOther = lazyregexp.New(`^(?:\s*- .*|\s*#.*|---.*|\.\.\.)$`)
	// yamlStyle matches what only YAML has: quotes around a value, and lists and objects within a line.
	yamlStyle = lazyregexp.New(`^(?:"[^"]*"|'[^']*'|\[.*\]|\{.*:.*\}|[|>][+-]?)\s*(?:#.*)?$`)
)

// LooksLikeYAML reports whether a text consists of keys as programs write them, with values that have quotes
// or brackets, or with indented members. A text of labels and values, such as "Insured: Example Ltd", does not.
func LooksLikeYAML(text string) bool {
	text = strings.TrimLeft(text, "\ufeff \t\r\n")
	marked := strings.HasPrefix(text, "---\n") || strings.HasPrefix(text, "---\r\n")
	pairs, odd, program, style, nested, lines := 0, 0, 0, 0, 0, 0
	parent, literal := -1, -1 // the indentation of a key without a value in the line above, and of one with lines of text
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \r\n")
		if line == "" {
			continue
		}
		if lines++; lines > yamlSample || marked && lines > 1 && line == "---" {
			break
		}
		m := yamlPair.FindStringSubmatch(line)
		if literal >= 0 {
			if len(line)-len(strings.TrimLeft(line, " ")) > literal {
				continue
			}
			literal = -1
		}
		if m == nil {
			if !yamlOther.MatchString(line) {
				odd++
			}
			continue
		}
		pairs++
		if isProgramKey(m[2]) {
			program++
		}
		if yamlStyle.MatchString(m[3]) {
			style++
		}
		if parent >= 0 && len(m[1]) > parent {
			nested++
		}
		parent = -1
		switch {
		case m[3] == "":
			parent = len(m[1])
		case m[3][0] == '|' || m[3][0] == '>':
			literal = len(m[1])
		}
	}
	return pairs >= minYAMLPairs && odd*4 <= pairs && program*4 >= pairs*3 && (nested > 0 || style > 1 || marked)
}

// isProgramKey reports whether a key is written as in programs: with a lower-case first letter or an underscore.
func isProgramKey(key string) bool {
	return key[0] >= 'a' && key[0] <= 'z' || strings.Contains(key, "_")
}

// ReadYAML reads YAML as ReadJSON reads JSON. After front matter between two lines with dashes, the rest of the
// text is read as plain text, and so is a text that is not valid YAML.
func ReadYAML(f *content.File) error {
	data, err := firstBytes(f)
	if err != nil {
		return err
	}
	text := strings.TrimPrefix(decode.Text(data, ""), "\ufeff")
	matter, rest := frontMatter(text)
	if len(matter) > maxYAML || nestsDeeply(matter) {
		return ReadPlain(f)
	}
	r := &yamlReader{f: f}
	value, ok := r.all(matter)
	if f.Err() != nil {
		return f.Err()
	}
	if !ok {
		return ReadPlain(f)
	}
	(&jsonWriter{f: f}).write("", &value)
	if strings.TrimSpace(rest) == "" {
		return nil
	}
	return AddLines(f, decode.Lines(rest), false)
}

// frontMatter divides a text into the YAML between the lines with dashes at its beginning, and the text below.
// A text whose lower part is YAML too is not divided.
func frontMatter(text string) (matter, rest string) {
	start := strings.TrimLeft(text, " \t\r\n")
	if !strings.HasPrefix(start, "---") {
		return text, ""
	}
	for _, end := range []string{"\n---\n", "\n---\r\n"} {
		if i := strings.Index(start, end); i >= 0 && !LooksLikeYAML(start[i+len(end):]) {
			return start[:i+1], start[i+len(end):]
		}
	}
	return text, ""
}

// nestsDeeply reports whether brackets are nested deeper than the parser should follow, or whether a line is
// indented as deeply.
func nestsDeeply(text string) bool {
	depth := 0
	for _, c := range text {
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			depth = max(depth-1, 0)
		}
		if depth > maxJSONDepth {
			return true
		}
	}
	return strings.Contains(text, strings.Repeat("- ", maxJSONDepth))
}

// yamlReader converts the nodes of a YAML text.
type yamlReader struct {
	f      *content.File
	values int
}

// all returns the value of a text, or a list of the values of its documents if it has several.
func (r *yamlReader) all(text string) (jsonValue, bool) {
	in := yaml.NewDecoder(strings.NewReader(text))
	all := jsonValue{items: []jsonValue{}}
	for len(all.items) < maxJSONValues {
		var root yaml.Node
		if err := in.Decode(&root); err != nil {
			if errors.Is(err, io.EOF) {
				break
			}
			return all, false
		}
		if len(root.Content) != 1 {
			continue
		}
		v := r.value(root.Content[0], 0)
		all.items = append(all.items, v)
	}
	if r.values > maxJSONValues {
		r.f.AddNote(content.Limit, "too many values: the rest was skipped")
	}
	switch {
	case len(all.items) == 0:
		return all, false
	case len(all.items) == 1:
		return all.items[0], all.items[0].members != nil || all.items[0].isTable()
	}
	return all, true
}

// value converts a node. Anchors are not followed, and what is nested too deeply is left out.
func (r *yamlReader) value(n *yaml.Node, depth int) jsonValue {
	v := jsonValue{line: n.Line}
	if r.values++; r.values > maxJSONValues || depth > maxJSONDepth || r.values%1000 == 0 && r.f.Err() != nil {
		return v
	}
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Tag != "!!null" {
			v.text = cut(strings.Join(strings.Fields(n.Value), " "))
		}
	case yaml.MappingNode:
		v.members = []jsonValue{}
		for i := 0; i+1 < len(n.Content) && r.values <= maxJSONValues; i += 2 {
			child := r.value(n.Content[i+1], depth+1)
			child.key = keyWords(n.Content[i].Value)
			v.members = append(v.members, child)
		}
	case yaml.SequenceNode:
		v.items = []jsonValue{}
		for _, item := range n.Content {
			if r.values > maxJSONValues {
				break
			}
			v.items = append(v.items, r.value(item, depth+1))
		}
	}
	return v
}
