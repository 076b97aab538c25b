// Package covers finds the requested insurance covers, and the line of business that the
// document is about, in the observations of the document. It is a pure function of the
// observations; the words are in the tables of package vocabulary.
package covers

import (
	"slices"
	"strings"
	"unicode"

	"understudy.example/internal/lazyregexp"

	"understudy.example/internal/extract/observe"
	"understudy.example/internal/extract/vocabulary"
)

// Cover is a cover that the document requests.
type Cover struct {
	Text    string // as the document states it
	Meaning string
	Class   string  // its line of business; empty if it can belong to several
	Fit     float64 // from 0 to 1: how well the place and the words fit
	Line    int     // of the document
	Ticked  bool    // a box beside it is ticked or has an X
}

// Fit of a cover by the kind of its place.
const (
	fitTicked  = 1.0  // a ticked box under a heading for covers
	fitOther   = 0.85 // the same, if the words are unknown
	fitItem    = 0.95 // an item of a list there
	fitPair    = 0.95 // a label with an amount or yes there
	fitLimit   = 0.9  // a label that ends in "limit", anywhere
	fitHeading = 0.85 // a heading with an amount
)

const (
	others     = 2   // unknown words that the name of a cover can have
	maxCovers  = 100 // per document
	maxHeading = 200 // bytes
)

var (
	amount     = vocabulary.Pattern(`(?i)(?:{{money.sign}}|\b{{money.code}}\b)\s*\d[\d,. ]*(?:\s*{{money.scale}}(?:\b|\.))?|\b\d[\d,.]*\s*(?:{{money.scale}}\.?)?\s*(?:{{money.sign}}|\b{{money.code}}\b)|\b\d[\d,.]*\s*{{money.scale}}\b`)
	limitLabel = vocabulary.Pattern(`(?i)\b{{limits.limit}}(?:\s+{{limits.selection}})?\s*$`)
	partLabel  = vocabulary.Pattern(`(?i)\b{{limits.part}}\s*$`)
	limitEnd   = vocabulary.Pattern(`(?i)[\s:–-]*\b{{limits.limit|limits.named limit}}(?:\s+{{limits.selection}})?\s*$`)
	retention  = vocabulary.Pattern(`(?i)\b{{limits.retention}}\b`)
	brackets   = lazyregexp.New(`\s*[(\[][^)\]]*[)\]]?\s*$`)
	// refusedBehind matches the words after the name of a cover that say that it is not requested: "Glass (excluded)".
	refusedBehind = vocabulary.Pattern(`(?i)[(\[–—-]\s*(?:{{answers.refused}})\b[^)]*\)?\s*$|\s[–—-]\s*(?:{{answers.no}})\s*$`)
	asking        = vocabulary.Pattern(`(?i)^\W*{{limits.asking}}\s+`)
	layer         = vocabulary.Pattern(`(?i)\b{{limits.layer}}\b`)
	millions      = lazyregexp.New(`(?i)\d{1,3}(?:,\d{3}){2}|\d\s?(?:m|mm|mil|million)\b`)
	bigNumber     = lazyregexp.New(`^\W*\d{1,3}(?:[,.']\d{3})+\b`)
	conditions    = vocabulary.Pattern(`(?i)^\s*{{limits.without}}(?:\b|$)`)
)

// Read returns the covers that the document requests, in order, each once.
func Read(observations []observe.Observation) []Cover {
	observations = withOpen(observations)
	var found []Cover
	seen := map[string]bool{}
	add := func(covers []Cover) {
		for _, c := range covers {
			if key := strings.ToLower(c.Text); !seen[key] && len(found) < maxCovers {
				seen[key] = true
				found = append(found, c)
			}
		}
	}
	listing := false // all lines since a heading for covers are covers
	above := ""      // a heading for covers that does not look like a heading, or is followed by another one
	heading := ""    // the last heading for covers
	var under [2]string
	beside := besideReader{}
	for _, o := range observations {
		var covers []Cover
		if end := strings.LastIndex(o.Label, ". "); o.Kind == observe.Pair && end > 0 && onlySection(o.Label[end+2:]) {
			o.Label = o.Label[end+2:] // "Turnover last year $2m. Cover: Fire, Theft"
		}
		requested, excluded := section([2]string{o.Text, ""})
		if o.Kind == observe.Heading && (requested || excluded) && !(listing && isEntry(o.Text)) {
			listing, above, heading = requested, "", o.Text
		} else if o.Kind == observe.Text && requested && (onlySection(o.Text) || asksCovers(o.Text)) {
			listing, above, under = true, o.Text, o.Headings
		} else if o.Kind == observe.Pair && onlySection(o.Label) && limits.MatchString(o.Text) && !amount.MatchString(o.Text) {
			listing, above, under = true, o.Label, o.Headings
			continue
		} else if o.Kind == observe.Pair && onlySection(o.Text) && limits.MatchString(o.Text) && !amount.MatchString(o.Label+o.Text) {
			listing, above, under = true, o.Text, o.Headings // "SECTION I - PROPERTY     LIMIT OF INSURANCE"
			continue
		} else if listing && (o.Kind == observe.Heading || o.Kind == observe.Text) {
			if covers = inClauses(o.Text); len(covers) == 0 {
				covers = inList(dashedTail.ReplaceAllString(o.Text, "")) // "Business income with extra expense - 12 months"
			}
			if len(covers) == 0 {
				covers = inList(entryTail.ReplaceAllString(o.Text, "")) // "Shop package from 1 May 2027 to 30 April 2028"
			}
			if more := leading(o.Text); o.Kind == observe.Text && len(covers) > 0 && len(more) > len(covers) {
				covers = append(covers, more...)
			}
			listing = len(covers) > 0
		}
		if listing && o.Kind == observe.Heading && len(covers) > 0 {
			if heading != "" {
				above = heading
			}
			under = [2]string{o.Text, ""} // a package, whose covers follow
		} else if above != "" && o.Headings != under {
			above = ""
		} else if above != "" && o.Headings[1] == "" && o.Text != above {
			o.Headings[1] = above
		}
		if len(covers) == 0 {
			covers = requestedCovers(o)
		}
		covers = append(covers, beside.read(o)...)
		if c, ok := inSection(o); len(covers) == 0 && ok {
			covers = []Cover{c}
		}
		if len(covers) == 0 && o.Kind == observe.Text && sentence(o.Text) {
			covers = inSentence(o.Text)
		}
		if requested, _ := section(o.Headings); len(covers) == 0 && requested && o.Kind == observe.Text && sentence(o.Text) {
			covers = inClauses(o.Text)
		}
		if requested, _ := section(o.Headings); len(covers) == 0 && requested && (o.Kind == observe.Text || o.Kind == observe.Item && o.Box == observe.NoBox) && !conditions.MatchString(o.Text) {
			covers = leading(o.Text)
		}
		for i := range covers {
			covers[i].Line, covers[i].Ticked = o.Line, o.Box == observe.Ticked
		}
		add(covers)
	}
	add(headed(observations))
	add(pairRuns(observations))
	if len(found) < minListed {
		add(coverLists(observations))
	}
	add(besideLimits(observations))
	add(besideKnown(observations))
	add(unknownPairs(observations))
	add(lists(observations))
	add(runs(observations))
	stated := len(found)
	for _, c := range inRequests(observations) {
		known := func(f Cover) bool { return f.Meaning == c.Meaning && c.Class == c.Meaning || sameName(f, c) }
		if !slices.ContainsFunc(found[:stated], known) {
			add([]Cover{c})
		}
	}
	return found
}

// inList returns the covers that a line below a heading for covers names: one, or a list of
// which at least half are known.
func inList(text string) []Cover {
	if c, ok := named(text, fitItem); ok && !strings.Contains(c.Text, ";") && len(vocabulary.Covers().Whole(c.Text, 0)) == 1 {
		return []Cover{c} // "Incendio, rayo y explosión"
	}
	if placed(text) {
		return nil // "Currently with Quill Mutual Cyber for $9,000"
	}
	if entries := entriesBy(list, text); len(entries) > 1 {
		if covers := listed(list, text); len(covers)*2 >= len(entries) {
			return covers
		}
		return nil
	}
	if c, ok := named(text, fitItem); ok {
		return []Cover{c}
	}
	return nil
}

// inItem returns the covers of an item that lists several.
func inItem(text string) []Cover {
	covers := listed(list, text)
	if len(covers) < 2 || len(covers)*2 < len(entriesBy(list, text)) {
		return nil
	}
	return covers
}

// placed reports whether a text begins with words about the insurer of the current policy.
func placed(text string) bool {
	keys := vocabulary.Words(text)
	return slices.ContainsFunc(vocabulary.Denials().FindWords(keys), func(m vocabulary.Match) bool {
		return m.Meaning == "placed" && m.First == 0
	})
}

// requestedCovers returns the covers that an observation requests.
func requestedCovers(o observe.Observation) []Cover {
	if covers := listedCovers(o); len(covers) > 0 {
		return covers
	}
	if c, ok := requestedCover(o); ok {
		return append([]Cover{c}, included(o)...)
	}
	requested, excluded := section(o.Headings)
	if o.Kind == observe.Item && requested && o.Box == observe.NoBox && !conditions.MatchString(o.Text) {
		return inItem(o.Text)
	}
	byLabel, other := section([2]string{o.Label, ""})
	if o.Kind != observe.Pair || excluded || other || !byLabel && !requested {
		return nil
	}
	if covers := inLines(o.Text); byLabel && len(covers) > 0 {
		return covers
	}
	o.Text = withoutRefused(o.Text)
	covers := listed(list, o.Text)
	if strings.Contains(o.Text, "(") {
		if opened := listed(list, unbracketed.Replace(o.Text)); len(opened) > len(covers) {
			covers = opened // "package (buildings £2m, contents £1m)"
		}
	}
	if dashed := listed(dashes, o.Text); len(dashed) > len(covers) {
		covers = dashed
	}
	if !byLabel && len(covers)*2 < len(entriesBy(list, o.Text)) {
		return nil // "Mortgagee: Birch Bank, Dayton (Building 1)", below a heading for covers
	}
	if len(covers) == 1 && onlyLines(o.Label) {
		return nil // "Line of business: Commercial Property"
	}
	if byLabel {
		covers = append(covers, besideListed(o.Text, len(covers))...)
	}
	return covers
}

// Listed returns the covers that a text lists.
func Listed(text string) []Cover {
	text = unbracketed.Replace(text)
	if pieces := list.Split(text, maxCovers); len(pieces) > 1 && allNamed(pieces) {
		text = strings.Join(pieces, "; ") // also "Property Damage & Business Interruption", which is a line of business too
	}
	return slices.DeleteFunc(listed(list, text), func(c Cover) bool { return c.Meaning == commercialPackage })
}

const commercialPackage = "Commercial Package" // the meaning of the names of packages

// IsPackage reports whether a text is the name of a package of several lines of business, with at most two
// other words.
func IsPackage(text string) bool {
	found := vocabulary.Covers().Whole(text, 2)
	return len(found) == 1 && found[0].Meaning == commercialPackage
}

// entriesBy splits a list into its entries. The name of a single cover is not split at an "and".
func entriesBy(separator *lazyregexp.Regexp, text string) (entries []string) {
	if !betweenSentences.MatchString(text) {
		return entriesOfOne(separator, text)
	}
	if sentences := sentencesOf(text); len(sentences) > 1 {
		for n, sentence := range sentences {
			if n == 0 || !refuses(sentence) {
				entries = append(entries, entriesBy(separator, strings.TrimSpace(sentence))...)
			}
		}
		return entries
	}
	return entriesOfOne(separator, text)
}

// entriesOfOne splits a list without several sentences into its entries.
func entriesOfOne(separator *lazyregexp.Regexp, text string) (entries []string) {
	marked := strings.ContainsAny(text, ";•|")
	for _, part := range parts.Split(strings.TrimRight(text, "."), maxCovers) {
		pieces := separator.Split(part, maxCovers)
		if _, ok := named(part, fitPair); ok && (marked || len(vocabulary.Covers().Find(part)) == 1 || !allNamed(pieces)) {
			pieces = []string{part}
		}
		entries = append(entries, pieces...)
	}
	return entries
}

// refuses reports whether a sentence says that covers are refused or insured elsewhere.
func refuses(text string) bool {
	return denied.MatchString(text) || slices.ContainsFunc(vocabulary.Denials().Find(text), func(m vocabulary.Match) bool { return m.Meaning == "refuses" })
}

// allNamed reports whether each of the texts names a cover.
func allNamed(texts []string) bool {
	return !slices.ContainsFunc(texts, func(text string) bool {
		_, ok := named(text, fitPair)
		return !ok
	})
}

// parts matches the separators of the entries of a list, apart from "and".
var parts = lazyregexp.New(`\s*[;•|]\s*|,\s+`)

// dashes matches the separators of the entries of a list that has no other separators.
var dashes = lazyregexp.New(`\s+[-–—/]\s+`)

// onlyLines reports whether a label names lines of business, and no covers.
func onlyLines(label string) bool {
	lines := false
	for _, m := range vocabulary.Sections().Find(label) {
		if m.Meaning != "lines" {
			return false
		}
		lines = true
	}
	return lines
}

// list matches the separators of the entries of a list within a line.
var list = vocabulary.Pattern(`\s*[;•|]\s*|,\s+|\s+{{connectives.and|connectives.including}}\s+|\s+[+&]\s+`)

// requestedCover returns the cover that an observation requests.
func requestedCover(o observe.Observation) (Cover, bool) {
	if o.Box == observe.Open || conditions.MatchString(o.Text) || refusedBehind.MatchString(o.Text) {
		return Cover{}, false
	}
	requested, excluded := section(o.Headings)
	switch {
	case o.Kind == observe.Pair && partLabel.MatchString(o.Label) && amount.MatchString(o.Text):
		return named(o.Label, fitLimit)
	case excluded:
		return Cover{}, false
	case o.Kind == observe.Pair && excessLayer(o) && (requested || layer.MatchString(o.Text)):
		return named("Excess Liability", fitPair)
	case o.Kind == observe.Pair && requested && (o.Box == observe.Ticked || amount.MatchString(o.Text)):
		return named(o.Label, fitPair)
	case o.Kind == observe.Pair && o.Box == observe.Ticked && len(vocabulary.Covers().Whole(bare(o.Label), 0)) > 0:
		return named(o.Label, fitOther)
	case o.Kind == observe.Pair && o.Box == observe.Ticked && asking.MatchString(o.Label):
		return named(asking.ReplaceAllString(o.Label, ""), fitOther) // "Do you require Cyber?"
	case o.Kind == observe.Pair && limitLabel.MatchString(o.Label) && (amount.MatchString(o.Text) || bigNumber.MatchString(o.Text)):
		return named(limitEnd.ReplaceAllString(o.Label, ""), fitLimit)
	case o.Kind == observe.Pair && requested && len(o.Label) > 0:
		return named(o.Label, fitItem)
	case o.Kind == observe.Item && requested && o.Box == observe.Ticked:
		return ticked(o.Text)
	case o.Kind == observe.Item && o.Box == observe.Ticked:
		return named(o.Text, fitOther)
	case o.Kind == observe.Item && requested:
		return named(o.Text, fitItem)
	case o.Kind == observe.Heading && amount.MatchString(o.Text) && !strings.Contains(o.Text, ";") && len(vocabulary.Covers().Whole(bare(o.Text), others-1)) > 0:
		return named(o.Text, fitHeading) // but not "Quill State Casualty - $138,215"
	}
	return Cover{}, false
}

// excessLayer reports whether a label "excess" is that of a layer of cover, and not of a deductible.
func excessLayer(o observe.Observation) bool {
	return strings.EqualFold(bare(o.Label), "excess") && (layer.MatchString(o.Text) || millions.MatchString(o.Text))
}

// ticked returns the cover that a ticked box below a heading for covers stands for. Its
// words need not be known.
func ticked(text string) (Cover, bool) {
	if c, ok := named(text, fitTicked); ok {
		return c, true
	}
	name := bare(text)
	words := strings.Fields(name)
	if len(words) == 0 || len(words) > maxWords || amount.MatchString(text) || retention.MatchString(name) || answer.MatchString(name) || !strings.ContainsFunc(name, unicode.IsLetter) {
		return Cover{}, false
	}
	return Cover{Text: name, Fit: fitOther}, true
}

const maxWords = 6 // of the text of a box

var answer = vocabulary.Pattern(`(?i)^{{answers.yes|answers.no|answers.instead of a cover}}\b`)
