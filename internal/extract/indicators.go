package extract

import (
	"strings"

	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/field"
	"understudy.example/internal/lazyregexp"
)

var (
	ticked   = `(?:\[\s*[xX✓✔✗]\s*\]|\(\s*[xX✓✔]\s*\)|[☒☑✓✔✅■])`
	unticked = `(?:\[\s*\]|\(\s*\)|[☐□▢])`
	boxFirst = lazyregexp.New(`^\W*?(?:` + ticked + `|` + unticked + `)\s*(?i:yes|no|y|n)\b`)
	yesTick  = [2]*lazyregexp.Regexp{lazyregexp.New(`(?i)\b(?:yes|y)\s*:?\s*` + ticked), lazyregexp.New(`(?i)` + ticked + `\s*(?:yes|y)\b`)}
	noTick   = [2]*lazyregexp.Regexp{lazyregexp.New(`(?i)\b(?:no|n)\s*:?\s*` + ticked), lazyregexp.New(`(?i)` + ticked + `\s*(?:no|n)\b`)}
	openBox  = lazyregexp.New(unticked)
	yesStart = lazyregexp.New(`(?i)^\s*(?:yes|y|true|ja|oui)\b`)
	noStart  = lazyregexp.New(`(?i)^\s*(?:no|n|none|false|never|nein|non)\b(?:[^.]|$)`)
	loneTick = lazyregexp.New(`^\s*(?:` + ticked + `|[xX])\s*$`)
	answered = lazyregexp.New(`(?i)^(.{4,300}?)[?:.…\s]\s*((?:` + ticked + `|` + unticked + `)?\s*\b(?:yes|no|y|n)\b.{0,40}?|` + ticked + `)\s*$`)
)

// answers are whole answers in other languages that do not begin with an English word for yes or
// no.
var answers = map[string]string{"sí": "Y", "si": "Y", "nee": "N", "vorhanden": "Y", "aanwezig": "Y"}

// bothWords matches the two choices that a form prints before the answer.
var bothWords = lazyregexp.New(`(?i)^\s*\(?(?:yes\s*/\s*no|y\s*/\s*n)\)?[\s:]+`)

// yesNo reads an answer, and returns Y, N or nothing, and how clear the answer is.
func yesNo(text string) (string, float64) {
	text = strings.TrimSpace(text)
	if len(text) > 300 {
		return "", 0
	}
	side := 0 // 1 if a box precedes its word
	if boxFirst.MatchString(text) {
		side = 1
	}
	yes, no := yesTick[side].MatchString(text), noTick[side].MatchString(text)
	switch {
	case yes && !no:
		return "Y", 1
	case no && !yes:
		return "N", 1
	case openBox.MatchString(text) && strings.ContainsAny(text, "yYnN"):
		return "", 0 // boxes left open
	case loneTick.MatchString(text):
		return "Y", 0.9
	}
	if rest := bothWords.ReplaceAllString(text, ""); rest != text && strings.TrimSpace(rest) != "" {
		return yesNo(rest) // "Yes / No   No"
	}
	lower := strings.ToLower(text)
	if answer := answers[lower]; answer != "" {
		return answer, 1
	}
	if strings.HasPrefix(lower, "n/a") || strings.HasPrefix(lower, "n.a") || strings.HasPrefix(lower, "yes/no") || strings.HasPrefix(lower, "yes / no") || strings.HasPrefix(lower, "y/n") || strings.HasPrefix(lower, "yes no") {
		return "", 0
	}
	fit := 1.0
	if len(text) > 5 {
		fit = 0.85
	}
	switch {
	case yesStart.MatchString(text) && !strings.HasPrefix(lower, "y-"):
		return "Y", fit
	case noStart.MatchString(text) && !strings.HasPrefix(lower, "no.") && (len(text) < 5 || strings.ContainsAny(text[:min(len(text), 6)], ",;-– ")):
		if len(strings.Fields(text)) > 12 {
			return "", 0
		}
		return "N", fit
	}
	return "", 0
}

// A question holds the groups of words that identify the question for an indicator: at
// least one word of each group must occur in it.
type question struct {
	field string
	all   []string // alternatives separated by "|"; a trailing * matches any ending
}

var questions = func() []question {
	list := []question{
		{"bankruptcy_indicator", []string{"bankrupt*|bankruptcy"}},
		{"has_company_been_liquidated", []string{"liquidat*"}},
		{"is_non_profit_company", []string{"nonprofit|charity|charitable|not for profit|non profit|501 c 3"}},
		{"has_business_in_operation_for_more_than_3yrs", []string{"more than 3|more than three|at least 3|at least three|over 3|over three|3 or more|three or more|3 years|three years", "years|yrs", "operat*|business|trading|traded"}},
		{"has_there_been_health_and_safety_breach", []string{"health and safety|hse|osha|h and s", "breach*|prosecut*|violation*|notice*|citation*|enforcement|convict*"}},
		{"does_company_has_hosted_office_suite_exposure", []string{"hosted|microsoft 365|office 365|google workspace", "office|exposure|mail|suite|365|workspace"}},
		{"does_any_employee_do_gas_exploration_work", []string{"gas", "explor*"}},
		{"does_any_employee_undertakes_demolition_work", []string{"demolition|demolish*"}},
		{"does_any_employee_undertakes_work_involving_roofing_scafolding_abseiling_cradles", []string{"roofing|scaffold*|scafold*|abseil*|cradle*|roof work"}},
		{"is_any_work_carried_out_other_than_collection_and_delivery", []string{"collection and delivery|collecting and delivering|collection or delivery"}},
		{"does_any_employee_works_with_heat_fire", []string{"heat|hot work|naked flame*|welding|blow lamp*|blow torch*", "heat|work*|use|apply|application|fire|employee*"}},
		{"exclusive_flag", []string{"exclusive|exclusively|sole market|broker of record"}},
	}
	// The names of the fields contain the places of work.
	others := map[string]string{
		"airports": "airport|airports|airside|aerodrome*|airfield*", "blast_furnaces": "blast furnace*", "boat_yard": "boat yard*|boatyard*|shipyard*|ship yard*", "bridges": "bridge|bridges|viaduct*",
		"chimney_shafts": "chimney*", "collieries": "colliery|collieries|coal mine*", "computer_rooms": "computer room*|data centre*|data center*|server room*",
		"docks": "dock|docks|dockyard*", "fences_on_motorways": "motorway*|fences on motorways|highway fence*", "hangars": "hangar|hangars|hangers", "harbours": "harbour*|harbor|harbors|wharf*|wharves|quay*",
		"marine_watercraft_hovercraft": "watercraft|hovercraft|vessel|vessels|ships", "mines": "mine|mines|mining", "motor_vehicle_cycles": "motor vehicle cycles|motor vehicles or cycles|motor vehicles cycles|motorcycles|motor cycle*",
		"nuclear_establishments": "nuclear", "offshore_structures": "offshore|off shore|oil rig*|rigs", "oil_gas_chemical_bulk_storage": "bulk storage", "oil_gas_chemical_production_premises": "production premises",
		"petrochemical_works": "petrochemical|petro chemical|petrochemicals", "pharmaceuticals": "pharmaceutical|pharmaceuticals|pharmaceutical*", "piers": "pier|piers|jetty|jetties", "power_stations": "power station*|power plant*",
		"quarries": "quarry|quarries|quarrying", "railways": "railway*|railroad*|trackside|rail track*", "refineries": "refinery|refineries", "steel_structures": "steel structure*|steelwork erection|steel erection",
		"steeples": "steeple*|spire*", "tanks": "tank|tanks|silo*", "towers": "tower|towers|mast|masts|pylon*", "underground": "underground|tunnel*|below ground", "underwater": "underwater|under water|diving", "dams": "dam|dams",
	}
	for _, f := range field.Facts {
		if name, ok := strings.CutPrefix(f.Name, workPlace); ok {
			list = append(list, question{f.Name, []string{others[name]}})
		}
	}
	return list
}()

// asked reports whether key, in the form that words returns, contains the question's
// words.
func (q question) asked(key string) bool {
	key = " " + key + " "
	for _, group := range q.all {
		hit := false
		for form := range strings.SplitSeq(group, "|") {
			stem, open := strings.CutSuffix(form, "*")
			if !open {
				stem += " "
			}
			if strings.Contains(key, " "+stem) {
				hit = true
				break
			}
		}
		if !hit {
			return false
		}
	}
	return true
}

var workWords = lazyregexp.New(`\b(work|works|working|worked|employee|employees|operate|activities|undertake|undertaken|carry|visit|attend|premises|sites?)\b`)

// answer proposes indicators for a question and its answer. A place of work as the
// whole question ("Airports: Yes") counts only in a list of such places.
func (d *extractor) answer(asked, answer string, list bool, at source.Place) {
	value, fit := yesNo(answer)
	if value == "" {
		return
	}
	key := strings.Join(strings.Fields(words.Spread(asked)), " ")
	if key == "" || len(key) > 400 {
		return
	}
	for _, q := range questions {
		isPlace := strings.HasPrefix(q.field, workPlace)
		if isPlace && !list && !workWords.MatchString(key) || !q.asked(key) {
			continue
		}
		if isPlace && !list && value == "Y" && strings.Count(key, " ") > 25 {
			continue // a single Yes to a long list of places does not apply to each of them
		}
		d.propose(q.field, value, source.Label, fit, at)
	}
}

// A statement is a sentence that answers a question.
type statement struct {
	field, value string
	form         *lazyregexp.Regexp
}

var statements = []statement{
	{"bankruptcy_indicator", "N", lazyregexp.New(`(?i)\b(no|never|not|without)\b[^.\n]{0,80}\b(bankrupt\w*)`)},
	{"bankruptcy_indicator", "Y", lazyregexp.New(`(?i)\b(filed for|declared|entered|emerged from)\s+(chapter (7|11)\s+)?bankruptcy`)},
	{"has_company_been_liquidated", "N", lazyregexp.New(`(?i)\b(no|never|not)\b[^.\n]{0,80}\b(liquidat\w*)`)},
	{"has_there_been_health_and_safety_breach", "N", lazyregexp.New(`(?i)\b(no|never|not been)\b[^.\n]{0,80}\b(health (and|&) safety|HSE|OSHA)\b[^.\n]{0,40}\b(breach|prosecution|violation|notice|enforcement|citation)`)},
	{"is_non_profit_company", "N", lazyregexp.New(`(?i)\b(?:is|are) not an? (?:registered )?(?:charity|non-?profit|not[- ]for[- ]profit)`)},
	{"is_non_profit_company", "Y", lazyregexp.New(`(?i)(?:\b(?:is|as)|,) an? (registered )?(charity|non-?profit|not[- ]for[- ]profit|501\(c\)\(3\))|\bregistered charity (no|number)`)},
	{"does_any_employee_works_with_heat_fire", "N", lazyregexp.New(`(?i)\b(no|not (undertake|carry out|use)( any)?)\s+(hot works?|work with heat|use of heat)`)},
	{"does_any_employee_undertakes_demolition_work", "N", lazyregexp.New(`(?i)\bno demolition\b`)},
	{"exclusive_flag", "Y", lazyregexp.New(`(?i)\b(on an exclusive basis|exclusive to you|exclusively to you|sole market|(?:broker of record|BOR)(?: letter)? (?:is )?(?:attached|enclosed)|appointed (?:as )?(?:the )?(?:exclusive )?broker of record)`)},
}
