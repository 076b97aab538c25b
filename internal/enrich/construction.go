package enrich

import "regexp"

// construction is a class of buildings in the codes of data providers: the class of
// the Insurance Services Office, which is smart_construction_code here, and those of two
// catastrophe models.
type construction struct {
	form             *regexp.Regexp
	iso              string
	rms, rmsDesc     string
	atc, atcDesc     string
	drawnInHundredth int // share of buildings whose construction is unknown
}

func words(form string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + form) }

// constructions are in the order in which a stated construction is compared with them.
var constructions = []construction{
	{words(`fire.?resist|reinforced concrete|\brcc?\b|^6$`), "6", "3", "Reinforced Concrete", "6", "Reinforced Concrete Shear Wall", 15},
	{words(`modified fire|^5$`), "5", "3", "Reinforced Concrete", "7", "Reinforced Concrete Moment Frame", 5},
	{words(`masonry non|non.?comb.{0,12}masonry|\bmnc\b|tilt.?up|^4$`), "4", "2", "Masonry", "10", "Tilt-up", 15},
	{words(`joisted|\bjm\b|brick|masonry|block|stone|cmu|^2$`), "2", "2", "Masonry", "4", "URM Wall with Frame", 25},
	{words(`steel|metal|non.?comb|\bnc\b|^3$`), "3", "4", "Steel", "2", "Light Metal", 20},
	{words(`concrete`), "6", "3", "Reinforced Concrete", "6", "Reinforced Concrete Shear Wall", 0},
	{words(`frame|wood|timber|^1$`), "1", "1", "Wood", "1", "Wood Frame", 20},
}

// addConstruction adds the codes of the stated construction. If none is stated, or one
// that the table does not have, the codes are drawn; the construction itself stays as it
// is.
func (r Record) addConstruction() {
	if !r.has("construction_type") && !r.has("location_address") {
		return
	}
	stated, score := r.text("construction_type"), min(r.Scores["construction_type"], scoreInferred)
	var found construction
	for _, c := range constructions {
		if stated != "" && c.form.MatchString(stated) {
			found = c
			break
		}
	}
	if found.iso == "" {
		drawn := newHash(r.text("location_address")+" "+r.text("location_city"), r.text("location_country"), r.text("location_postal_code")).draw("construction", 100)
		score = scoreDrawn
		for _, c := range constructions {
			found = c
			if drawn -= c.drawnInHundredth; drawn < 0 {
				break
			}
		}
	}
	r.setIfAbsent("smart_construction_code", found.iso, score)
	r.setIfAbsent("rms_construction_code", found.rms, score)
	r.setIfAbsent("rms_construction_description", found.rmsDesc, score)
	r.setIfAbsent("atc_construction_code", found.atc, score)
	r.setIfAbsent("atc_construction_description", found.atcDesc, score)
}

var occupancies = rules(
	`warehous|storage|distribution|logistics`, "Wholesale Trade",
	`retail|shop|store|supermarket|mall|dealer`, "Retail Trade",
	`restaurant|hotel|bar\b|caf|entertain|leisure|theat|cinema|gym|motel`, "Entertainment and Recreation",
	`apartment|multi.?family|condo|dwelling|residen|housing`, "Permanent Dwelling: Multi Family",
	`hospital|clinic|medical|health|dental|nursing`, "Health Care Services",
	`school|education|college|university|nursery`, "Education",
	`church|worship|club`, "Religion and Nonprofit",
	`brew|baker|food|drug|pharma|chemic`, "Food and Drugs Processing",
	`metal|foundry|machine|steel`, "Metal and Minerals Processing",
	`manufactur|factory|plant|mill|workshop|fabricat|assembl`, "Light Fabrication and Assembly",
	`construct|contractor|yard`, "Construction",
	`farm|agricult|barn|grain`, "Agriculture",
	`office|bank|professional|headquarter|service`, "Professional, Technical and Business Services",
)

// occupancyClass returns the class of a stated occupancy in the words of the
// engineering model of which the atc fields are; "" if it has none.
func occupancyClass(stated string) string {
	if found := normal(occupancies, []string{stated}); len(found) > 0 {
		return found[0]
	}
	return ""
}
