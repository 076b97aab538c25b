package labelled

import (
	"strings"

	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/field"
	"understudy.example/internal/lazyregexp"
)

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

// Answer proposes indicators for a question and its answer. A place of work as the
// whole question ("Airports: Yes") counts only in a list of such places.
func (r *Reader) Answer(asked, answer string, list bool, at source.Place) {
	value, fit := parse.YesNo(answer)
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
		r.Propose(q.field, value, source.Label, fit, at)
	}
}

const workPlace = "does_any_employee_works_at_"
