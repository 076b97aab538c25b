package location

import (
	"strings"

	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/lazyregexp"
)

// DescribeBuilding adds the construction and the protection that a text states to a location.
func DescribeBuilding(row Row, text string, at source.Place) {
	for field, form := range map[string]*lazyregexp.Regexp{"~built": builtForm, "~stories": storiesForm} {
		if m := form.FindStringSubmatch(text); m != nil {
			row.Add(field, m[1], source.Prose, at)
		}
	}
	if m := areaInText.FindString(text); m != "" {
		row.Add("~area", m, source.Prose, at)
	}
	words, keys := vocabulary.Split(text), vocabulary.Words(text)
	var build []vocabulary.Match
	implied := map[string]string{}
	for _, m := range vocabulary.Protection().FindWords(keys) {
		switch m.Meaning {
		case "yes", "no", "construction code":
		case "construction_type":
			if n := len(build); n == 0 || m.First == build[n-1].Last+1 || !strings.ContainsAny(text[words[build[n-1].Last].End:words[m.First].Start], ",;.:()") && m.First-build[n-1].Last <= 6 {
				build = append(build, m)
			}
		case "no sprinklers":
			row.Add("location_have_sprinklers", "No", source.Prose, at)
		default:
			answer, explicit := answerAt(text, words, keys, m)
			if explicit {
				row.Add(m.Meaning, answer, source.Prose, at)
			} else if implied[m.Meaning] == "" {
				implied[m.Meaning] = answer
			}
		}
	}
	for field, answer := range implied {
		row.Add(field, answer, source.Prose, at)
	}
	if len(build) > 0 {
		if m := bareYear.FindStringSubmatch(text); m != nil {
			row.Add("~built", m[1], source.Prose, at)
		}
		row.Add("construction_type", text[words[build[0].First].Start:words[build[len(build)-1].Last].End], source.Prose, at)
	}
}

// boxed matches the beginning of answers with boxes.
var boxed = lazyregexp.New(`(?i)^(?:(?:yes|no|y|n|ja|nein|oui|non|sí|nee)\s*)?(?:` + parse.Ticked + `|` + parse.Unticked + `)`)

// bareYear matches a year that is a part of its own in a description: "JM / 1985 / 25,000 sf", "1985 JM".
var bareYear = lazyregexp.New(`(?:^|[,;/(]|\s[-–—])\s*((?:1[89]|20)\d\d)(?:\s*(?:$|[,;/)]|\s[-–—])|\s+\pL)`)

const maxDenial = 3 // words between a denial and what it denies

// answerAt returns "Yes" if a text affirms what the matched words name, "No" if it denies it, and
// otherwise "". explicit reports whether an answer follows the words.
func answerAt(text string, words []vocabulary.Word, keys []string, m vocabulary.Match) (answer string, explicit bool) {
	rest := text[words[m.Last].End:]
	rest = rest[:min(len(rest), 30)]
	if box := strings.TrimLeft(rest, " ?:\t"); boxed.MatchString(box) {
		switch answer, _ := parse.YesNo(box); answer { // "☐ Yes ☒ No"
		case "Y":
			return "Yes", true
		case "N":
			return "No", true
		}
	}
	verb := false // a verb precedes, as in "a sprinkler system is not installed"
	for n := m.Last + 1; n < len(words) && n <= m.Last+maxDenial; n++ {
		between := text[words[m.Last].End:words[n].Start]
		if strings.ContainsAny(between, ",;.") {
			break
		}
		if verb && vocabulary.Protection().Means(keys[n], "no") {
			return "No", true
		}
		verb = verb || vocabulary.Set("connectives.verb")[keys[n]] || vocabulary.Set("connectives.plural verb")[keys[n]]
		if !strings.ContainsAny(between, ":?–-") {
			continue
		}
		if vocabulary.Protection().Means(keys[n], "no") || keys[n] == "n" {
			return "No", true
		}
		if vocabulary.Protection().Means(keys[n], "yes") || keys[n] == "y" {
			return "Yes", true
		}
	}
	if strings.Contains(rest, "?") {
		return "", false
	}
	for n := m.First - 1; n >= 0 && n >= m.First-maxDenial; n-- {
		if strings.ContainsAny(text[words[n].End:words[m.First].Start], ",;.:()") {
			break
		}
		if vocabulary.Protection().Means(keys[n], "no") {
			return "No", false
		}
		if keys[n] == "whether" || keys[n] == "if" {
			return "", false
		}
	}
	return "Yes", false
}

var areaInText = vocabulary.Pattern(`(?i)\b(\d[\d,.]*)\s*({{buildings.area}})\b`)

var (
	builtForm   = vocabulary.Pattern(`(?i)\b{{buildings.built}}:?(?: in)?:? (?:c\.? ?|circa )?((?:1[6-9]|20)\d\d)\b`)
	storiesForm = vocabulary.Pattern(`(?i)\b(\d{1,2})[ -]{{buildings.stories}}\b`)
)
