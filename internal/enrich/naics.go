package enrich

import (
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	"understudy.example/internal/address"
	"understudy.example/internal/field"
)

// gen/main.go generates the table of codes; the list of trades is maintained by hand.
var (
	//go:embed tables/naics.txt.gz
	packedCodes []byte
	//go:embed tables/trades.txt
	tradeList string
)

// naicsIndex finds NAICS 2012 codes by the words of their titles and by names of
// trades.
type naicsIndex struct {
	titles      map[string]string   // code of two to six digits → title
	trades      map[string]string   // stems of a trade, joined by spaces → code; a leading ~ marks a broad trade
	codesByStem map[string][]string // stem → six-digit codes whose titles contain it
	rarity      map[string]float64  // stem → weight: the rarer in titles, the higher
	titleRarity map[string]float64  // code → sum of the weights of its title's stems
}

// match is a code and its fit. The fit of one word that names the trade is 1.
type match struct {
	code string
	fit  float64
}

// maxTradeWords is the number of words in the longest trade that is searched for.
const maxTradeWords = 4

// maxDescriptionWords is the number of words of a description that are searched.
const maxDescriptionWords = 400

var industries = sync.OnceValue(func() naicsIndex {
	x := naicsIndex{map[string]string{}, map[string]string{}, map[string][]string{}, map[string]float64{}, map[string]float64{}}
	reader, err := gzip.NewReader(bytes.NewReader(packedCodes))
	if err != nil {
		panic(err) // the table is part of the program
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		panic(err)
	}
	six := 0
	for line := range strings.SplitSeq(string(text), "\n") {
		code, title, _ := strings.Cut(line, "\t")
		x.titles[code] = title
		if len(code) != 6 {
			continue
		}
		six++
		for _, stem := range titleStems(title) {
			x.codesByStem[stem] = append(x.codesByStem[stem], code)
		}
	}
	for stem, entries := range x.codesByStem {
		x.rarity[stem] = math.Log(float64(six) / float64(len(entries)))
	}
	for code, title := range x.titles {
		for _, stem := range titleStems(title) {
			x.titleRarity[code] += x.rarity[stem]
		}
	}
	for line := range strings.Lines(tradeList) {
		line = strings.TrimSpace(line)
		if space := strings.LastIndexByte(line, ' '); space > 0 && line[0] != '#' {
			x.trades[strings.Join(stems(line[:space]), " ")] = line[space+1:]
		}
	}
	return x
})

// titleStems returns the distinct stems of a title, without its "(except …)" clause.
func titleStems(title string) []string {
	if i := strings.Index(title, "(except"); i > 0 {
		end := strings.IndexByte(title[i:], ')')
		if end < 0 {
			end = len(title) - i - 1
		}
		title = title[:i] + title[i+end+1:]
	}
	words := strings.Split(address.Key(title), " ")
	words = slices.DeleteFunc(words, func(word string) bool { return vagueWords[word] })
	found := stems(strings.Join(words, " "))
	slices.Sort(found)
	return slices.Compact(found)
}

// stopWords never count. vagueWords do not count in titles, because too many titles
// contain them.
var (
	stopWords  = wordSet(`and of the for in a an to by with from at or on as is are its their our we all not no`)
	vagueWords = wordSet(`other except any inc llc ltd limited plc corp corporation co company companies group holdings holding
		miscellaneous related including services service product products activities industries industry general`)
)

func wordSet(list string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		words[word] = true
	}
	return words
}

// stems returns the stems of the words in a text, without stop words.
func stems(text string) []string {
	var found []string
	for word := range strings.SplitSeq(address.Key(text), " ") {
		if word != "" && !stopWords[word] {
			found = append(found, stem(word))
		}
	}
	return found
}

// stem removes the endings of plurals, -ing, -er and -or, so that roofer, roofing
// and roofs have the same stem.
func stem(word string) string {
	if strings.HasPrefix(word, "manufactur") {
		return "manufactur"
	}
	switch {
	case len(word) > 4 && strings.HasSuffix(word, "ies"):
		word = word[:len(word)-3] + "y"
	case len(word) > 4 && (strings.HasSuffix(word, "xes") || strings.HasSuffix(word, "ches") || strings.HasSuffix(word, "shes")):
		word = word[:len(word)-2]
	case len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us"):
		word = word[:len(word)-1]
	}
	for _, ending := range [...]string{"ing", "er", "or"} {
		if len(word) >= len(ending)+4 && strings.HasSuffix(word, ending) {
			word = strings.TrimSuffix(word, ending)
			break
		}
	}
	if len(word) > 4 {
		word = strings.TrimSuffix(word, "e")
	}
	return word
}

// classify returns the codes that match the texts, which have weights, best first.
func (x naicsIndex) classify(texts map[string]float64) []match {
	fits := map[string]float64{}
	ordered := make([]string, 0, len(texts))
	for text := range texts {
		ordered = append(ordered, text)
	}
	slices.Sort(ordered)
	for _, text := range ordered {
		words := stems(putGoodsFirst(text))
		words = words[:min(len(words), maxDescriptionWords)]
		x.scoreTrades(words, texts[text], fits)
		x.scoreTitles(words, texts[text], fits)
	}
	var found []match
	for code, fit := range fits {
		found = append(found, match{code, fit})
	}
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(b.fit, a.fit), cmp.Compare(a.code, b.code))
	})
	return found
}

// scoreTrades adds to fits the codes of the trades that the words name, the longest
// name at each position. Earlier trades count more, because descriptions begin with
// the main trade.
func (x naicsIndex) scoreTrades(words []string, weight float64, fits map[string]float64) {
	counted := map[string]bool{}
	for i := 0; i < len(words); i++ {
		for n := min(maxTradeWords, len(words)-i); n > 0; n-- {
			code, ok := x.trades[strings.Join(words[i:i+n], " ")]
			if !ok {
				continue
			}
			fit := weight * (1 + 0.4*float64(n-1)) / (1 + float64(i)/12)
			if broad, ok := strings.CutPrefix(code, "~"); ok {
				if code, fit = broad, fit*0.35; counted[code] {
					fit = 0 // a broad trade counts once
				}
				counted[code] = true
			}
			fits[code] += fit
			i += n - 1
			break
		}
	}
}

// scoreTitles adds to fits the codes whose titles share words with the text. A title
// counts if the text contains most of it, by weight, and one very rare word, or
// nearly half of it and two rare words.
func (x naicsIndex) scoreTitles(words []string, weight float64, fits map[string]float64) {
	matched := map[string]float64{}
	rarest := map[string]float64{}
	rareWords := map[string]int{}
	seen := map[string]bool{}
	for _, word := range words {
		if seen[word] {
			continue
		}
		seen[word] = true
		for _, code := range x.codesByStem[word] {
			matched[code] += x.rarity[word]
			rarest[code] = max(rarest[code], x.rarity[word])
			if x.rarity[word] > 3.5 {
				rareWords[code]++
			}
		}
	}
	for code, sum := range matched {
		share := sum / x.titleRarity[code]
		if share >= 0.6 && rarest[code] > 4 || share >= 0.45 && rareWords[code] > 1 {
			fits[code] += 0.7 * weight * share
		}
	}
}

// titlesOf returns the official titles of the codes of a field, by code.
func titlesOf(name string) map[string]string {
	if name == "primary_sic" {
		return nil // the numbers of SIC mean something else in NAICS
	}
	return industries().titles
}

// parseCode parses an extracted code, with or without its title. A known code gets
// its official title.
func parseCode(text string, titles map[string]string) field.Code {
	code, title, _ := strings.Cut(text, " ")
	digits := strings.TrimRight(code, ":-–.|,;")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return field.Code{Code: "", Desc: text}
	}
	if official, ok := titles[digits]; ok {
		return field.Code{Code: digits, Desc: official}
	}
	return field.Code{Code: digits, Desc: strings.Trim(title, " :-–|,;")}
}

// addIndustryCodes adds the industry codes, unless they were extracted. They follow
// from the description of operations and the company's name; if those fit no code,
// from the occupancies of the locations too.
func (c *company) addIndustryCodes(in Input) {
	const minFit = 0.2
	if c.record.has("primary_naics_2012") {
		return
	}
	texts := map[string]float64{}
	descriptions, _ := c.record.Values["company_description"].([]string)
	for _, text := range descriptions {
		does, has := splitActivity(text)
		if best := industries().classify(map[string]float64{does: 1}); has == "" || len(best) == 0 || best[0].fit < 0.5 {
			texts[text] = 1
			continue
		}
		texts[does] = 1
		texts[has] = max(texts[has], 0.2)
	}
	if name := c.record.text("company_name"); name != "" {
		texts[name] = max(texts[name], 0.8)
	}
	found := industries().classify(texts)
	if len(found) == 0 || found[0].fit < minFit {
		for _, location := range in.Locations[:min(len(in.Locations), 20)] {
			for _, v := range location {
				if v.Field == "location_occupancy_code" && v.Text != "" {
					texts[v.Text] = max(texts[v.Text], 0.3)
				}
			}
		}
		found = industries().classify(texts)
	}
	if len(found) == 0 || found[0].fit < minFit {
		return
	}
	best := found[0]
	c.record.setIfAbsent("primary_naics_2012", []field.Code{best.withTitle()}, best.score(0.30))
	var others []field.Code
	for _, m := range found[1:min(len(found), 3)] {
		if m.fit >= best.fit/2 {
			others = append(others, m.withTitle())
		}
	}
	if len(others) > 0 {
		c.record.setIfAbsent("secondary_naics_2012", others, best.score(0.20)-0.05)
	}
}

func (m match) withTitle() field.Code {
	return field.Code{Code: m.code, Desc: industries().titles[m.code]}
}

// score returns the score for the fit, from 0.30 to 0.30+span.
func (m match) score(span float64) float64 { return 0.30 + span*min(1, m.fit/1.5) }
