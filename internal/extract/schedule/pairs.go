package schedule

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/list"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/field"
)

// open is an entry whose labels are being read.
type open struct {
	values map[string]string
	line   int // of its last label
	titled bool
	block  Block
}

// readPairs reads blocks of labels that repeat, one for each entry, and labels with one
// value. Each kind of list reads all labels, and ignores those that it does not know.
func (s *scanner) readPairs() {
	opens := map[string]*open{}
	flush := func(k *list.Kind) {
		if o := opens[k.List]; o != nil {
			s.close(k, o)
		}
		delete(opens, k.List)
	}
	flushAll := func() {
		for i := range list.Kinds {
			flush(&list.Kinds[i])
		}
	}
	part := -1
	s.Title, s.TitleAge = "", 0
	s.carried = carried{}
	for i, b := range s.blocks {
		if b.Part != part {
			flushAll()
			part, s.Title, s.TitleAge = b.Part, "", 0
			s.Heading(baseName(b.Place.Part))
		}
		if s.used[i] || b.Printed {
			continue
		}
		if b.Table == nil && b.Label == "" {
			s.partiesBelow(i)
		}
		var stated []pair
		switch {
		case b.Table != nil:
			stated = s.tablePairs(b)
		case b.Label != "":
			if pairs.FormName.MatchString(b.Label) {
				continue
			}
			stated = []pair{{b.Label, b.Value}}
		default:
			if s.vinLine(b) {
				continue
			}
			stated = pairsOf(b.Text)
		}
		if len(stated) == 0 && b.Table == nil {
			if s.Heading(b.Text) {
				flushAll()
			}
			s.numberedHeading(b.Text, flush)
		}
		for _, p := range stated {
			s.single(p, i)
			for n := range list.Kinds {
				k := &list.Kinds[n]
				if !strings.Contains(p.value, ":") {
					s.pair(k, p, i, opens, flush)
					continue
				}
				for _, p := range s.splitKnown(k.List, p) {
					s.pair(k, p, i, opens, flush)
				}
			}
		}
	}
	flushAll()
}

// vinLine reads a line such as "2019 Ford F-150, VIN 1FTEW1E50KFA00001".
func (s *scanner) vinLine(b Block) bool {
	m := list.VINLine.FindStringSubmatch(b.Text)
	if m == nil {
		return false
	}
	values := map[string]string{"year": m[1], "vin": m[3]}
	list.SplitModel(strings.Trim(m[2], " ,;:(-–"), values)
	s.groups++
	s.add(Entry{"vehicles", values, FromBlock, Doubts{}, b.Place, s.groups})
	return true
}

// numberedHeading ends the open entry before a heading such as "Vehicle 2".
func (s *scanner) numberedHeading(text string, flush func(*list.Kind)) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > 40 || !list.Numbered.MatchString(text) {
		return
	}
	for i := range list.Kinds {
		if h, ok := s.Column(list.Kinds[i].List, strings.TrimRight(text, "0123456789 :#.")); ok && (h.Meaning == "~number" || h.Meaning == "claim_number" || h.Meaning == "policy_number") {
			flush(&list.Kinds[i])
		}
	}
}

// pair adds the value of a label to the open entry of a list.
func (s *scanner) pair(k *list.Kind, p pair, line int, opens map[string]*open, flush func(*list.Kind)) {
	if len(k.Block) == 0 {
		return
	}
	reach := 8
	if k.List == "additional_interest" {
		reach = 1
	}
	o := opens[k.List]
	if o != nil && line-o.line > reach {
		flush(k)
		o = nil
	}
	start := func() *open {
		o := &open{values: map[string]string{}, line: line, titled: s.Title == k.List, block: s.blocks[line]}
		opens[k.List] = o
		return o
	}
	if k.List == "additional_interest" && vocabulary.Schedule(k.List).Equals("label", vocabulary.NewPhrase(p.label)) {
		flush(k)
		if values := s.interest(p); values != nil {
			start().values = values
		}
		return
	}
	h, ok := s.Column(k.List, p.label)
	if !ok || h.Fit < 0.9 || h.Meaning == "~other" || k.List == "additional_interest" && o == nil {
		return
	}
	f := list.FieldNamed(k.Fields, h.Meaning)
	text, fits := s.Value(f, content.Cell{Text: p.value})
	if o != nil && o.values[h.Meaning] != "" {
		flush(k)
		o = nil
	}
	if !fits || text == "" {
		return
	}
	if o == nil {
		o = start()
	}
	o.values[h.Meaning], o.line = text, line
	o.titled = o.titled || s.Is(k.List, "title", p.label)
}

// close adds the entry of a block of labels.
func (s *scanner) close(k *list.Kind, o *open) {
	has := func(name string, general bool) bool {
		if name == "title" {
			return o.titled
		}
		return list.HasValues(o.values)(name, general)
	}
	if !list.Satisfied(k.Block, has) {
		return
	}
	s.complete(k, o.values)
	if !list.Satisfied(k.Entry, list.HasValues(o.values)) {
		return
	}
	s.groups++
	s.add(Entry{k.List, o.values, FromBlock, Doubts{}, o.block.Place, s.groups})
}

// interest returns the values of a label such as "Mortgagee"; nil if the value does not
// name anyone.
func (s *scanner) interest(p pair) map[string]string {
	name, address := list.NameAddress(p.value)
	if len(name) < 4 || len(name) > 120 || s.Missing(name) || vocabulary.IsNone(name) || strings.HasSuffix(p.value, ":") || !strings.Contains(name, " ") && address == "" {
		return nil
	}
	values := map[string]string{"interest": list.Clean(strings.TrimRight(p.label, "0123456789 #:")), "party_name": name}
	list.SetAbsent(values, "party_address", address)
	return values
}

// tablePairs returns the labels with their values in the rows of a table that is not a
// list.
func (s *scanner) tablePairs(b Block) []pair {
	if s.listed[b.Table] || len(b.Taken) > 0 || len(b.Table.Rows) > 2000 {
		return nil
	}
	var pairs []pair
	for _, row := range b.Table.Rows {
		var filled []string
		for _, c := range row[:min(len(row), 20)] {
			if text := strings.TrimSpace(c.Text); text != "" && !c.Merged {
				filled = append(filled, text)
			}
		}
		if len(filled) == 2 && !strings.Contains(filled[0], ": ") {
			pairs = append(pairs, pair{strings.TrimRight(filled[0], ": "), filled[1]})
			continue
		}
		for i, text := range filled {
			if label, ok := strings.CutSuffix(text, ":"); ok && i+1 < len(filled) {
				pairs = append(pairs, pair{label, filled[i+1]})
			} else if strings.Contains(text, ": ") {
				pairs = append(pairs, pairsOf(text)...)
			}
		}
	}
	return pairs
}

// single proposes the value of a label that has one: a deductible, covered auto symbols,
// or a field of the vocabulary's class "policy".
func (s *scanner) single(p pair, line int) {
	if h, ok := s.Column("policy", p.label); ok && h.Fit == 1 {
		s.propose(h.Meaning, list.Clean(p.value), line)
		return
	}
	s.deductible(p, line)
	s.symbols(p.label+": "+p.value, line)
}

// propose adds a value of one field.
func (s *scanner) propose(name, text string, line int) {
	if kind := kindOfField(name); text != "" && !s.Missing(text) && (kind != field.Number || list.CountForm.MatchString(text)) {
		s.values = append(s.values, Value{name, text, 1, line, s.blocks[line].Place})
	}
}

func kindOfField(name string) field.Kind {
	for _, f := range append(append([]field.Field{}, field.MoreFacts...), field.MoreOptions...) {
		if f.Name == name {
			return f.Kind
		}
	}
	return field.Text
}
