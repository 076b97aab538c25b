// Package observe is the first stage of extraction: it finds headings, list items, ticked
// boxes, and labels with their values in the lines of a document, by layout alone. It knows
// no language and nothing about insurance.
package observe

import (
	"slices"
	"strings"
	"unicode"
)

// Line is a line of text, or a label with its value, in reading order. An empty line has
// neither. Lines of tables are read by other stages.
type Line struct {
	Text         string
	Label, Value string // set instead of Text
	Part         int    // of the document
	Other        bool   // in a table, a page header, or an older mail
}

// Kind is the form of an observation.
type Kind int

const (
	Text    Kind = iota // any other line
	Heading             // a line that stands above others, or introduces a list
	Item                // an item of a list, or a box with its text
	Pair                // a label with its value
)

// Box is the state of a check box.
type Box int

const (
	NoBox Box = iota
	Ticked
	Open
)

// Observation is the form of a line, or of a part of it.
type Observation struct {
	Kind  Kind
	Label string // of a pair
	Text  string // without marks; the value of a pair
	Box   Box    // of an item; of a pair whose value is yes or no
	Line  int    // its index

	// Headings are the nearest heading above, and the line that introduces the list. Either
	// can be empty. They are in the same part.
	Headings [2]string
	Top      bool // among the first lines of the part
}

const (
	topLines        = 8  // lines of text at the top of a part
	maxHeading      = 90 // bytes
	maxHeadingWords = 10
	maxIntroduction = 250 // bytes of a sentence that introduces a list
	maxLabel        = 90  // bytes
)

// Read returns the observations of the lines, in order. Its time is proportional to the
// length of the lines.
func Read(lines []Line) []Observation {
	r := &reader{lines: lines, part: -1, behind: slices.ContainsFunc(lines, crossedBehind)}
	for i, l := range lines {
		if l.Part != r.part {
			r.part, r.heading, r.introduction, r.top, r.crossed = l.Part, "", "", 0, false
		}
		switch {
		case l.Other:
			r.introduction = ""
		case l.Label != "" && r.labelledBoxes(i, l):
		case l.Label != "":
			r.top++
			r.add(i, Observation{Kind: Pair, Label: l.Label, Text: l.Value, Box: boxOf(l.Value)})
		default:
			r.line(i)
		}
	}
	return r.found
}

type reader struct {
	lines                 []Line
	part, top             int
	heading, introduction string
	listed                bool   // items have followed the introduction
	crossed               bool   // below this heading, a line in columns has items marked with an X
	cross                 bool   // the line above is only an X
	behind                bool   // items in columns are marked with an X behind them
	above                 string // the line above, if it is neither a heading nor in a list
	found                 []Observation
}

func (r *reader) add(line int, o Observation) {
	o.Line, o.Headings, o.Top = line, [2]string{r.heading, r.introduction}, r.top <= topLines
	r.found = append(r.found, o)
}

// line reads a line of text.
func (r *reader) line(i int) {
	text := strings.TrimSpace(r.lines[i].Text)
	if text == "" {
		return
	}
	r.top++
	defer func(above string) {
		if r.above == above {
			r.above = "" // it was the line before the last one
		}
	}(r.above)
	level, text := markdownHeading(text)
	text, listed := withoutMark(text)
	if text == "" {
		return
	}
	if crossed := r.cross; text == "X" || text == "x" {
		r.cross = true
		return
	} else if r.cross = false; crossed && len(text) <= maxLabel/2 && !strings.ContainsAny(text, ":\t") {
		r.add(i, Observation{Kind: Item, Text: text, Box: Ticked})
		return
	}
	introduction, boxes := boxes(text)
	if len(boxes) == 0 {
		boxes = r.crosses(text)
	}
	introduction, boxes = answered(introduction, boxes)
	if len(boxes) > 0 {
		r.listed = true
		if introduction == "" && r.introduction == "" {
			introduction = r.above
		}
		if introduction != "" {
			r.introduction = introduction
		}
		for _, b := range boxes {
			r.add(i, b)
		}
		return
	}
	text = withoutNumber(text)
	if label, value, ok := pair(text); ok && level == 0 {
		if value == "" {
			r.introduce(i, label, listed)
			return
		}
		r.listed = r.listed || listed
		r.add(i, Observation{Kind: Pair, Label: label, Text: value, Box: boxOf(value)})
		return
	}
	if label, answer, ok := answeredQuestion(text); ok && level == 0 {
		r.listed = r.listed || listed
		r.add(i, Observation{Kind: Pair, Label: label, Text: answer, Box: boxOf(answer)})
		return
	}
	switch {
	case level > 0 || !listed && r.isHeading(i, text):
		r.heading, r.introduction, r.crossed = "", "", false
		r.add(i, Observation{Kind: Heading, Text: text})
		r.heading = text
	case listed:
		r.listed = true
		r.add(i, Observation{Kind: Item, Text: text})
	default:
		if r.listed {
			r.introduction = "" // the list has ended
		}
		r.add(i, Observation{Kind: Text, Text: text})
		r.above = text
	}
}

// labelledBoxes reads a label whose value consists of check boxes.
func (r *reader) labelledBoxes(i int, l Line) bool {
	introduction, found := boxes(l.Value)
	if len(found) < 2 || introduction != "" || boxOf(found[0].Text) != NoBox {
		return false
	}
	before := r.introduction
	r.introduction = l.Label
	for _, b := range found {
		r.add(i, b)
	}
	r.introduction = before
	return true
}

// crosses reads a line in columns that marks some items with an X in front of them: "X Fire
// Theft   X Glass". Below such a line, a line in columns is also read if it has no X.
func (r *reader) crosses(text string) (found []Observation) {
	columns := columnGap.Split(text, maxCrosses)
	if len(columns) == maxCrosses {
		return nil
	}
	marked := false
	alone := false // the column before holds only an X
	for _, c := range columns {
		c = strings.TrimSpace(c)
		if c == "X" || c == "x" {
			if alone = !r.behind; r.behind && len(found) > 0 {
				found[len(found)-1].Box, marked = Ticked, true
			}
			continue
		}
		if length := len(c); length > maxLabel/2 && (len(columns) > 1 || length > maxLabel) || strings.ContainsAny(c, ":?") || strings.Contains(c, ". ") || strings.HasSuffix(c, ".") {
			return nil
		}
		box := Open
		if alone {
			box, marked, alone = Ticked, true, false
		} else if cross.MatchString(c) {
			c, box, marked = strings.TrimSpace(c[1:]), Ticked, true
		}
		if c != "" && unicode.IsLetter([]rune(c)[0]) {
			found = append(found, Observation{Kind: Item, Text: c, Box: box})
		}
	}
	if !marked && !(r.crossed && len(columns) > 1) {
		return nil
	}
	r.crossed = r.crossed || len(columns) > 1
	return found
}

// introduce reads a line that ends with a colon: the introduction of a list.
func (r *reader) introduce(i int, text string, item bool) {
	r.add(i, Observation{Kind: Heading, Text: text})
	short := len(text) <= maxHeading && len(strings.Fields(text)) <= maxHeadingWords
	if short && !item && blank(r.lines, i-1) {
		r.heading, r.introduction = text, ""
	} else {
		r.introduction = text
	}
	r.listed = false
}

// isHeading reports whether a line without a mark is a heading: short, no sentence,
// capitalised, and either alone or above other text.
func (r *reader) isHeading(i int, text string) bool {
	words := strings.Fields(text)
	if len(text) > maxHeading || len(words) > maxHeadingWords || strings.ContainsAny(text[len(text)-1:], ".,;") || strings.ContainsAny(text, "\t@") {
		return false
	}
	letters := strings.Map(onlyLetters, text)
	if letters == "" {
		return false
	}
	if strings.ToUpper(letters) == letters && len(letters) > 3 {
		return true
	}
	if !capitalised(words) {
		return false
	}
	return blank(r.lines, i-1) || blank(r.lines, i+1) || r.listAfter(i)
}

// listAfter reports whether the next line is an item of a list, or a pair.
func (r *reader) listAfter(i int) bool {
	if i+1 >= len(r.lines) {
		return false
	}
	next := strings.TrimSpace(r.lines[i+1].Text)
	_, marked := withoutMark(next)
	_, value, ok := pair(next)
	return r.lines[i+1].Label != "" || marked || ok && value != ""
}

func blank(lines []Line, i int) bool {
	return i < 0 || i >= len(lines) || lines[i].Other || lines[i].Text == "" && lines[i].Label == ""
}

func onlyLetters(r rune) rune {
	if unicode.IsLetter(r) {
		return r
	}
	return -1
}

// capitalised reports whether the first word and at least half of the longer words begin
// with a capital letter or a digit.
func capitalised(words []string) bool {
	long, capitals := 0, 0
	for i, w := range words {
		first := []rune(strings.TrimLeft(w, "(\"'“‘"))
		upper := len(first) > 0 && (unicode.IsUpper(first[0]) || unicode.IsDigit(first[0]))
		if i == 0 && !upper {
			return false
		}
		if len(first) > 3 {
			long++
			if upper {
				capitals++
			}
		}
	}
	return capitals*2 >= long
}
