package enrich

import (
	"regexp"
	"strings"
)

var (
	// owning is where a description turns from what a company does to what it
	// merely has for it.
	owning = regexp.MustCompile(`(?i)[\s,;.]+(?:(?:together )?with|has|have|having|owns?|owning|occup(?:ies|ying)|plus|(?:operating|working|trading) (?:from|out of)|(?:housed|located|based) (?:in|at))\s`)
	// making is where a description names the goods after the word for making
	// them: "manufacturer of chairs", "we make chairs".
	making = regexp.MustCompile(`(?i)(?:\b(?:manufactur(?:ers?|es?|ing)|makers?|producers?|production)(?: (?:and|&) \w+)? of|\b(?:we|which|that|who|it|company|firm) (?:make|manufacture|produce)s?|^(?:makes|manufactures|produces))\s+([^.;,]+)`)
)

// doesAndHas parts a description into what the company does and the buildings
// and the like that it has, "" where it names none.
func doesAndHas(text string) (does, has string) {
	at := owning.FindStringIndex(text)
	if at == nil || at[0] == 0 {
		return text, ""
	}
	return text[:at[0]], text[at[1]:]
}

// goodsFirst writes "manufacturer of chairs and desks" as "chairs manufacturing,
// desks manufacturing", as titles and names of trades are written.
func goodsFirst(text string) string {
	return making.ReplaceAllStringFunc(text, func(found string) string {
		goods, rest := making.FindStringSubmatch(found)[1], ""
		if at := owning.FindStringIndex(goods); at != nil {
			goods, rest = goods[:at[0]], goods[at[0]:]
		}
		return strings.ReplaceAll(goods, " and ", " manufacturing, ") + " manufacturing" + rest
	})
}
