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

// The table of codes is made by gen/main.go; the list of trades is kept by hand.
var (
	//go:embed tables/naics.txt.gz
	packedCodes []byte
	//go:embed tables/trades.txt
	tradeList string
)

// index finds NAICS 2012 codes by the words of their titles and by the names
// of trades.
type index struct {
	titles map[string]string   // code of two to six digits → title
	trades map[string]string   // stems of a trade, joined by spaces → code
	words  map[string][]string // stem → the six-digit titles that hold it
	rare   map[string]float64  // stem → how much it tells
	weight map[string]float64  // code → what all stems of its title tell
}

// match is a code with how well it fits; 1 is one plain word of the trade.
type match struct {
	code string
	fit  float64
}

// longest is the number of words of the longest trade looked for.
const longest = 4

// described bounds the words of a description that are looked at.
const described = 400

var industries = sync.OnceValue(func() index {
	x := index{map[string]string{}, map[string]string{}, map[string][]string{}, map[string]float64{}, map[string]float64{}}
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
			x.words[stem] = append(x.words[stem], code)
		}
	}
	for stem, entries := range x.words {
		x.rare[stem] = math.Log(float64(six) / float64(len(entries)))
	}
	for code, title := range x.titles {
		for _, stem := range titleStems(title) {
			x.weight[code] += x.rare[stem]
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

// titleStems returns the different stems of a title without what it excludes.
func titleStems(title string) []string {
	if i := strings.Index(title, "(except"); i > 0 {
		end := strings.IndexByte(title[i:], ')')
		if end < 0 {
			end = len(title) - i - 1
		}
		title = title[:i] + title[i+end+1:]
	}
	words := strings.Split(address.Key(title), " ")
	words = slices.DeleteFunc(words, func(word string) bool { return vague[word] })
	found := stems(strings.Join(words, " "))
	slices.Sort(found)
	return slices.Compact(found)
}

// little are words that never count; vague ones do not count in titles, where
// they stand in too many.
var (
	little = set(`and of the for in a an to by with from at or on as is are its their our we all not no`)
	vague  = set(`other except any inc llc ltd limited plc corp corporation co company companies group holdings holding
		miscellaneous related including services service product products activities industries industry general`)
)

func set(list string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		words[word] = true
	}
	return words
}

// stems cuts a text into words that count, without their endings.
func stems(text string) []string {
	var found []string
	for word := range strings.SplitSeq(address.Key(text), " ") {
		if word != "" && !little[word] {
			found = append(found, stem(word))
		}
	}
	return found
}

// stem takes off plural, -ing and -er, so that roofer, roofing and roofs meet.
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

// classify ranks the codes that a text speaks of, best first.
func (x index) classify(texts map[string]float64) []match {
	fits := map[string]float64{}
	ordered := make([]string, 0, len(texts))
	for text := range texts {
		ordered = append(ordered, text)
	}
	slices.Sort(ordered)
	for _, text := range ordered {
		words := stems(goodsFirst(text))
		words = words[:min(len(words), described)]
		x.byTrade(words, texts[text], fits)
		x.byTitle(words, texts[text], fits)
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

// byTrade looks for names of trades, the longest at each place. What stands
// first counts most: descriptions begin with the main trade.
func (x index) byTrade(words []string, weight float64, fits map[string]float64) {
	said := map[string]bool{}
	for i := 0; i < len(words); i++ {
		for n := min(longest, len(words)-i); n > 0; n-- {
			code, ok := x.trades[strings.Join(words[i:i+n], " ")]
			if !ok {
				continue
			}
			fit := weight * (1 + 0.4*float64(n-1)) / (1 + float64(i)/12)
			if broad, ok := strings.CutPrefix(code, "~"); ok {
				if code, fit = broad, fit*0.35; said[code] {
					fit = 0 // said again it tells nothing more
				}
				said[code] = true
			}
			fits[code] += fit
			i += n - 1
			break
		}
	}
}

// byTitle compares with the titles. A title counts when most of it is there
// and one of its rare words is, or nearly half of it and two of them.
func (x index) byTitle(words []string, weight float64, fits map[string]float64) {
	told := map[string]float64{}
	rarest := map[string]float64{}
	telling := map[string]int{}
	seen := map[string]bool{}
	for _, word := range words {
		if seen[word] {
			continue
		}
		seen[word] = true
		for _, code := range x.words[word] {
			told[code] += x.rare[word]
			rarest[code] = max(rarest[code], x.rare[word])
			if x.rare[word] > 3.5 {
				telling[code]++
			}
		}
	}
	for code, sum := range told {
		share := sum / x.weight[code]
		if share >= 0.6 && rarest[code] > 4 || share >= 0.45 && telling[code] > 1 {
			fits[code] += 0.7 * weight * share
		}
	}
}

// stated reads a code that a document gives, with or without its title.
func stated(text string) field.Code {
	code, title, _ := strings.Cut(text, " ")
	digits := strings.TrimRight(code, ":-–.|,;")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return field.Code{Code: "", Desc: text}
	}
	if known, ok := industries().titles[digits]; ok {
		return field.Code{Code: digits, Desc: known}
	}
	return field.Code{Code: digits, Desc: strings.Trim(title, " :-–|,;")}
}

// classify adds the industry codes, unless they were read: from the description
// of operations and the company's name, else what the locations are used for.
func (c *company) classify(in Input) {
	const enough = 0.2
	if c.record.has("primary_naics_2012") {
		return
	}
	texts := map[string]float64{}
	descriptions, _ := c.record.Values["company_description"].([]string)
	for _, text := range descriptions {
		does, has := doesAndHas(text)
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
	if len(found) == 0 || found[0].fit < enough {
		for _, location := range in.Locations[:min(len(in.Locations), 20)] {
			for _, v := range location {
				if v.Field == "location_occupancy_code" && v.Text != "" {
					texts[v.Text] = max(texts[v.Text], 0.3)
				}
			}
		}
		found = industries().classify(texts)
	}
	if len(found) == 0 || found[0].fit < enough {
		return
	}
	best := found[0]
	c.record.fill("primary_naics_2012", []field.Code{best.named()}, best.score(0.30))
	var others []field.Code
	for _, m := range found[1:min(len(found), 3)] {
		if m.fit >= best.fit/2 {
			others = append(others, m.named())
		}
	}
	if len(others) > 0 {
		c.record.fill("secondary_naics_2012", others, best.score(0.20)-0.05)
	}
}

func (m match) named() field.Code {
	return field.Code{Code: m.code, Desc: industries().titles[m.code]}
}

// score maps the fit to the range of estimates, 0.30 to 0.60.
func (m match) score(span float64) float64 { return 0.30 + span*min(1, m.fit/1.5) }
