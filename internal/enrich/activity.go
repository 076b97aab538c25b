package enrich

import (
	"regexp"
	"strings"
)

var (
	// possessionPattern matches the words after which a description lists what the
	// company has rather than what it does.
	possessionPattern = regexp.MustCompile(`(?i)[\s,;.]+(?:(?:together )?with|has|have|having|owns?|owning|occup(?:ies|ying)|plus|(?:operating|working|trading) (?:from|out of)|(?:housed|located|based) (?:in|at))\s`)
	// manufacturingPattern matches a word for manufacturing followed by the goods:
	// "manufacturer of chairs", "we make chairs".
	manufacturingPattern = regexp.MustCompile(`(?i)(?:\b(?:manufactur(?:ers?|es?|ing)|makers?|producers?|production)(?: (?:and|&) \w+)? of|\b(?:we|which|that|who|it|company|firm) (?:make|manufacture|produce)s?|^(?:makes|manufactures|produces))\s+([^.;,]+)`)
)

// splitActivity splits a description into the company's activity and the buildings
// and other things that it has. has is "" if the description names none.
func splitActivity(text string) (does, has string) {
	at := possessionPattern.FindStringIndex(text)
	if at == nil || at[0] == 0 {
		return text, ""
	}
	return text[:at[0]], text[at[1]:]
}

// putGoodsFirst rewrites "manufacturer of chairs and desks" as "chairs
// manufacturing, desks manufacturing", the form of NAICS titles and names of trades.
func putGoodsFirst(text string) string {
	return manufacturingPattern.ReplaceAllStringFunc(text, func(found string) string {
		goods, rest := manufacturingPattern.FindStringSubmatch(found)[1], ""
		if at := possessionPattern.FindStringIndex(goods); at != nil {
			goods, rest = goods[:at[0]], goods[at[0]:]
		}
		return strings.ReplaceAll(goods, " and ", " manufacturing, ") + " manufacturing" + rest
	})
}
