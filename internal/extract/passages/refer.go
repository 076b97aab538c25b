package passages

import (
	"slices"
	"strconv"
	"strings"

	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/lazyregexp"
)

// referringClauses separates the clauses of a sentence that can be about different locations.
var referringClauses = lazyregexp.New(`[;\n]|,\s|\.\s+`)

const (
	maxReferring = 200 // locations that the text can name by their numbers
	maxClauses   = 40  // of a passage
)

// Refer completes the locations with what the text says about those that it names by their numbers:
// "Site 1 is sprinklered, the others are not".
func Refer(rows []location.Row, texts []Passage) {
	if len(rows) == 0 || len(rows) > maxReferring {
		return
	}
	byKey := map[string][]int{}
	for i, r := range rows {
		if key := r.NumberKey(); key != "" {
			byKey[key] = append(byKey[key], i)
		}
	}
	if len(byKey) == 0 {
		for i := range rows {
			byKey[strconv.Itoa(i+1)] = []int{i} // they are numbered in the order in which they are listed
		}
	}
	for _, p := range texts {
		if len(vocabulary.Sites().Find(p.text)) == 0 {
			continue // it names no location
		}
		var named map[int]bool
		headed := false
		before := location.Row{}
		for _, clause := range p.clauses() {
			keys := location.References(clause)
			about := map[int]bool{}
			for _, key := range keys {
				for _, i := range byKey[key] {
					about[i] = true
				}
			}
			others := len(keys) == 0 && location.NamesOthers(clause)
			carried := len(keys) == 0 && !others && named != nil
			if len(keys) == 0 && !others && !carried {
				continue // it is about no location in particular
			}
			if len(keys) > 0 {
				headed = strings.Contains(clause, ":") // "Site 1: buildings 500,000; stock 20,000"
			} else if carried {
				about = named
			}
			said := location.Row{Cells: map[string]location.Cell{}}
			DescribeSite(said, clause, p.at)
			if len(keys) > 0 {
				named, before = about, said
			} else if len(named) > 0 && others {
				for i := range rows {
					about[i] = !named[i]
				}
				if len(said.Cells) == 0 && denies(clause) {
					said = before.Opposite()
				}
			}
			for f, c := range said.Cells {
				if c.Value != 0 && (len(about) > 1 || carried && !headed) {
					delete(said.Cells, f) // the sum can be that of several locations
				}
			}
			for i, yes := range about {
				if yes {
					rows[i].Complete(said)
				}
			}
			if len(keys) > 0 && len(about) > 0 && len(said.Cells) > 0 && location.OnlyThere(clause) {
				for i := range rows {
					if !about[i] {
						rows[i].Complete(said.Opposite())
					}
				}
			}
		}
	}
}

// clauses returns the clauses of a passage. A passage that names one location is one clause.
func (p Passage) clauses() (list []string) {
	if len(location.References(p.text)) == 1 && !location.NamesOthers(p.text) {
		return []string{p.text}
	}
	from := 0
	for _, at := range append(location.Heads(p.text), len(p.text)) {
		list = append(list, referringClauses.Split(p.text[from:at], maxClauses)...)
		from = at
	}
	return list[:min(len(list), maxClauses)]
}

// denies reports whether a clause has a word such as "not".
func denies(clause string) bool {
	return slices.ContainsFunc(vocabulary.Words(clause), func(w string) bool { return vocabulary.Protection().Means(w, "no") })
}
