package text

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/decode"
	"understudy.example/internal/lazyregexp"
)

const (
	maxJSONValues = 200_000 // of one file
	maxJSONDepth  = 32      // objects and lists within each other
	maxJSONKey    = 200     // bytes of a key
)

// jsonStart matches the beginning of a JSON object, or of a list of objects, below up to three lines
// of other text, such as a comment or the request that sent it.
var jsonStart = lazyregexp.New(`^\s*(?:[^{}\[\]\n]{0,200}\n){0,3}?\s*(?:\[\s*)?\{\s*"[^"\n]{1,200}"\s*:`)

// LooksLikeJSON reports whether a text begins with a JSON object or a list of objects.
func LooksLikeJSON(text string) bool { return jsonStart.MatchString(text) }

// ReadJSON reads JSON objects as a person would see them in a form: keys are labels, objects within objects
// are sections with headings, and lists of objects are tables. A text that is not valid JSON is read as plain text.
func ReadJSON(f *content.File) error {
	data, err := firstBytes(f)
	if err != nil {
		return err
	}
	text := decode.Text(data, "")
	start := jsonStart.FindStringIndex(text)
	if start == nil {
		return ReadPlain(f)
	}
	object := start[0] + strings.IndexAny(text[start[0]:start[1]], "{[")
	r := &jsonReader{f: f, text: text[object:], line: 1 + strings.Count(text[:object], "\n")}
	value, err := r.all()
	switch {
	case f.Err() != nil:
		return f.Err()
	case err != nil:
		return ReadPlain(f)
	}
	if before := strings.TrimRight(text[:object], " \t\r\n"); before != "" {
		if err := AddLines(f, decode.Lines(before), false); err != nil {
			return err
		}
	}
	(&jsonWriter{f: f}).write("", value)
	return nil
}

// jsonValue is a value of a JSON text. It has the text of a string, number or boolean, or members, or items.
type jsonValue struct {
	key     string // in words, of a member of an object
	line    int
	text    string
	members []jsonValue
	items   []jsonValue
}

// isScalar reports whether a value is a text, a number, true, false or null.
func (v *jsonValue) isScalar() bool { return v.members == nil && v.items == nil }

// list returns the texts of a list of scalars, separated by commas.
func (v *jsonValue) list() string {
	var texts []string
	for _, item := range v.items {
		if item.isScalar() && item.text != "" {
			texts = append(texts, item.text)
		}
	}
	return strings.Join(texts, ", ")
}

// isTable reports whether a value is a list that has objects.
func (v *jsonValue) isTable() bool {
	for _, item := range v.items {
		if item.members != nil {
			return true
		}
	}
	return false
}

// jsonReader reads values of a JSON text.
type jsonReader struct {
	f      *content.File
	text   string
	in     *json.Decoder
	at     int // in text: the end of the lines that were counted
	line   int
	values int
}

var (
	errJSONDepth  = errors.New("nested too deeply")
	errJSONValues = errors.New("too many values")
)

// all returns the value of a text, or a list of its values if it has several.
func (r *jsonReader) all() (*jsonValue, error) {
	r.in = json.NewDecoder(strings.NewReader(r.text))
	r.in.UseNumber()
	all := &jsonValue{items: []jsonValue{}}
	for {
		v, err := r.value(0)
		if err == io.EOF && len(all.items) > 0 {
			break
		}
		if err != nil && err != errJSONValues {
			return nil, err
		}
		all.items = append(all.items, v)
		if err == errJSONValues {
			r.f.AddNote(content.Limit, "too many values: the rest was skipped")
			break
		}
	}
	if len(all.items) == 1 {
		return &all.items[0], nil
	}
	return all, nil
}

// value reads the next value. With errJSONValues, it returns the part that was read.
func (r *jsonReader) value(depth int) (jsonValue, error) {
	token, err := r.in.Token()
	if err != nil {
		return jsonValue{}, err
	}
	if r.values++; r.values%1000 == 0 && r.f.Err() != nil {
		return jsonValue{}, r.f.Err()
	}
	end := int(r.in.InputOffset())
	r.line += strings.Count(r.text[r.at:end], "\n")
	r.at = end
	v := jsonValue{line: r.line}
	switch token := token.(type) {
	case json.Delim:
		if depth >= maxJSONDepth {
			return v, errJSONDepth
		}
		return r.children(v, token == '{', depth)
	case string:
		v.text = cut(strings.TrimSpace(token))
	case json.Number:
		v.text = cut(token.String())
	case bool:
		v.text = map[bool]string{true: "true", false: "false"}[token]
	}
	return v, nil
}

// children reads the members of an object or the items of a list, up to its end.
func (r *jsonReader) children(v jsonValue, isObject bool, depth int) (jsonValue, error) {
	if isObject {
		v.members = []jsonValue{}
	} else {
		v.items = []jsonValue{}
	}
	for r.in.More() {
		if r.values >= maxJSONValues {
			return v, errJSONValues
		}
		key := ""
		if isObject {
			token, err := r.in.Token()
			if err != nil {
				return v, err
			}
			key, _ = token.(string)
		}
		child, err := r.value(depth + 1)
		if err != nil && err != errJSONValues {
			return v, err
		}
		if isObject {
			child.key = keyWords(key)
			v.members = append(v.members, child)
		} else {
			v.items = append(v.items, child)
		}
		if err != nil {
			return v, err
		}
	}
	_, err := r.in.Token()
	return v, err
}

// keyWords returns the words of a key: "Year built" for "yearBuilt", "year_built" and "YEAR-BUILT".
func keyWords(key string) string {
	key = strings.ToValidUTF8(key[:min(len(key), maxJSONKey)], "")
	var out strings.Builder
	runes := []rune(key)
	for i, c := range runes {
		switch {
		case c == '_' || c == '-' || c == '.' || unicode.IsSpace(c) || unicode.IsControl(c):
			c = ' '
		case i > 0 && startsWord(runes, i):
			out.WriteByte(' ')
		}
		out.WriteRune(c)
	}
	words := strings.Fields(out.String())
	for i, w := range words {
		if len(w) < 2 || w != strings.ToUpper(w) { // "USD" stays
			words[i] = strings.ToLower(w)
		}
	}
	if len(words) == 0 {
		return ""
	}
	first := []rune(words[0])
	first[0] = unicode.ToUpper(first[0])
	words[0] = string(first)
	return strings.Join(words, " ")
}

// startsWord reports whether a word starts at a character after the first: at the B of "yearBuilt", at the
// N of "USDNet", and at the 1 of "line1".
func startsWord(key []rune, i int) bool {
	before, c := key[i-1], key[i]
	switch {
	case unicode.IsUpper(c):
		return unicode.IsLower(before) || unicode.IsDigit(before) || unicode.IsUpper(before) && i+1 < len(key) && unicode.IsLower(key[i+1])
	case unicode.IsDigit(c):
		return unicode.IsLower(before)
	}
	return false
}

// jsonWriter adds values as blocks.
type jsonWriter struct {
	f    *content.File
	full bool // no block can be added
}

// add adds a block, unless there is no room for more.
func (w *jsonWriter) add(b content.Block) { w.full = w.full || !w.f.Add(b) }

// write adds the blocks of a value below a heading: first the labels, then the sections and tables.
func (w *jsonWriter) write(heading string, v *jsonValue) {
	if v.isTable() {
		w.writeTable(heading, v)
		return
	}
	if heading != "" && len(v.members) > 0 {
		w.add(content.Block{Place: content.Place{Line: v.line}})
		w.add(content.Block{Text: heading, Place: content.Place{Line: v.line}})
	}
	for _, m := range v.members {
		text := m.text
		if m.items != nil && !m.isTable() {
			text = m.list()
		}
		if text != "" && !w.full {
			w.add(content.Block{Label: m.key, Value: text, Place: content.Place{Line: m.line}})
		}
	}
	for i := range v.members {
		if m := &v.members[i]; !w.full && (m.members != nil || m.isTable()) {
			inner := m.key
			if heading != "" {
				inner = heading + " " + strings.ToLower(m.key)
			}
			w.write(inner, m)
		}
	}
}
