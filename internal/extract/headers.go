package extract

import (
	"regexp"
	"strings"
)

// headerTable holds the headers of statements of values in the form that words returns.
// The columns that begin with "~" are not shown in responses: they name the row, add to
// a sum, or show that a table is about buildings.
var headerTable = []struct{ field, forms string }{
	{"location_id", "no|loc|loc number|location number|location id|location ref|location reference|loc id|locnum|site id|site number|site ref|premises number|prem number|risk number|risk id|ref|reference|schedule number|item|item number|property number|property id|loc ref|number|id|loc no|location no|sov number|asset id|unit number|store number|site no|premises no|s no|sr number|row|location code|site code|property ref|loc code|prem|premises|account location number|locid"},
	{"~building", "bldg number|building number|bldg|bldg id|building id|bldg no|building no|bld number|bldg num"},
	{"~name", "standort|werk|bezeichnung|emplacement|ubicación|vestiging|sede|location name|site name|property name|building name|premises name|name|description|building description|property description|location description|facility|facility name|site|occupier|store name|tenant|entity|named insured|asset|asset name|bldg name|bldg description|dba|site description|campus|location title|property"},
	{"~location", "location|risk|risk location"},
	{"location_address", "adresse|anschrift|straße|strasse|dirección|direccion|indirizzo|adres|risikoort|risikoadresse|address|street|street address|address 1|address line 1|address1|addr|streetname|street name|location address|risk address|site address|premises address|situs|situs address|property address|physical address|civic address|location street address|full address|building address|loc address|mailing address|address line one|street address 1|location street|risk location address|bldg address|site location|address of property|address of premises|address of risk|address street|st address|street number and name|location full address|situation|situation of risk|insured address|house and street|complete address|addressline 1|location of property|asset address|address of location|bldg street descriptor"},
	{"~address_number", "address number|addressnum|street number|house number|street no"},
	{"~address2", "address 2|address line 2|address2|suite|unit|street address 2|addr 2|address line two|apt suite"},
	{"location_city", "ort|stadt|ville|ciudad|città|citta|plaats|comune|city|town|locality|municipality|suburb|borough|village|city town|town city|city name|location city|city or town|post town|loc city"},
	{"location_state", "state|st|state code|statecode|state province|province|state prov|prov|area|area code|area name|state abbreviation|state region|location state|state or province|st prov|loc state"},
	{"~county", "county|county name|region|subarea|sub area|sub area name|parish|district"},
	{"location_postal_code", "postleitzahl|code postal|código postal|codigo postal|cap|postcode plaats|zip|zip code|zip 4|zipcode|postal code|postcode|postalcode|pin code|zip postal code|post code|postal|zip postal|postal zip|postal zip code|location zip|zip postcode|postcode zip|loc zip|location postcode|zip5|zip code 5|plz"},
	{"location_country", "land|pays|país|pais|paese|country|country code|cntrycode|country iso|ctry|territory|nation|iso country|country name|location country|iso country code"},
	{"~city_line", "city state zip|city state|city state zip code|town county postcode|city state and zip"},
	{"~geo", "coordinates|geo|lat long|lat lon|lat lng|latitude longitude|gps|gps coordinates|geocode|geo coordinates|geolocation|lat long coordinates|position|latitude and longitude"},
	{"latitude", "latitude|lat|y|y coordinate|lat dd"},
	{"longitude", "longitude|long|lon|lng|x|x coordinate|long dd"},
	{"construction_type", "bauart|bauweise|konstruktion|type de construction|tipo de construcción|bouwaard|construction|build type|build|built of|constructed of|walls and roof|wall and roof construction|const|constr|construction type|const type|construction class|const class|iso const|building type|structure|structure type|wall type|construction description|const description|building construction|type of construction|constr type|construction details|const desc|construction material|construction desc|wall construction|walls|bldg construction|construction materials|construction type description|bldg const|construct|predominant construction|building structure|frame type"},
	{"~construction_code", "construction code|const code|constructioncode|bldgclass|iso construction code|iso construction|iso construction class|iso class|iso const code|iso const class|const code iso|const code air|rms construction|air construction|construction code type|constr code|iso constr|iso constr code|const iso"},
	{"location_occupancy_code", "business use|business activity at premises|nutzung|betriebsart|activité|activite|actividad|gebruik|occupancy|occ|occupancy type|occ type|occupancy code|occupancy class|occtype|use|building use|operations|activity|trade|business of occupier|type of property|occupancy description|occ code|use of premises|occ description|occupancy exposure|property type|usage|building occupancy|bldg occupancy|business activity|occupancy desc|occupied as|property use|occupancy details|type of occupancy|nature of occupancy|occupation|primary use|sic|naics|sic code|naics code|building occupancy type|occupancy use|function|occupancy code air"},
	{"location_have_sprinklers", "sprinklered|sprinklers|sprinkler|spklr|spklrd|sprklr|sprklrd|sprkl|sprnklr|sprinkl|sprink|spr|fire sprinklers|auto sprinkler|automatic sprinklers|sprinkler system|sprinkler type|sprinkler protection|sprinklered y n|sprinklers y n|auto sprinklers|sprinkler protected|automatic sprinkler|sprinkler status|sprinklers installed|fire sprinkler|sprinkler system y n|is sprinklered|automatic sprinkler system|sprinklered yes no"},
	{"~sprinkler_percent", "percent sprinklered|percent sprk|sprk percent|percent spk|percent spr|percent sprnk|sprinklered percent|sprinkler percent|percent sprinkler|sprinklered percentage|pct sprinklered|sprinkler coverage|percent of building sprinklered|percentage sprinklered"},
	{"~fire_protection", "fire protection|protection|protections|fire protections|fire suppression|private protection|protection details|key protections"},
	{"location_have_smoke_detectors", "smoke detectors|smoke detector|smoke alarm|smoke alarms|smoke detection|hardwired smoke detectors|heat smoke detectors|smoke detectors y n"},
	{"~fire_alarm", "fire alarm|fire detection|detection system|fire alarm type|fire alarms|fire alarm system|automatic fire detection|afd|detection|fire alarm y n|central station fire alarm|fire detection system"},
	{"location_have_intrusion_detectors", "alarm type|alarm details|intruder alarm type|burglar alarm|intruder alarm|intrusion detection|security alarm|monitored alarm|central station|burglar alarms|burglar|alarm|intruder alarms|burglary alarm|security system|alarm system|intruder detection|intrusion alarm|burglar alarm type|central station alarm|burglar alarm y n|theft alarm|intrusion detectors|burglar alarm system|intruder alarm system|security|security protections"},
	{"flood_score", "flood score"},
	{"earthquake_score", "earthquake score|eq score"},
	{"wind_score", "wind score"},
	{"~built", "baujahr|année de construction|annee de construction|año de construcción|bouwjaar|anno di costruzione|year built|yr built|yr blt|yob|orig year built|yearbuilt|age|age of property|original year built|year of construction|const bldg year built|year constructed|built|construction year|date built|bldg year built|yearbuilt year|yr constructed"},
	{"~stories", "stories|storeys|number of stories|number stories|numstories|number floors|number of storeys|floors|number of floors|stories number|number storeys|const num stories|no of stories|story"},
	{"~area", "sq ft|square feet|square footage|square ft|sf|sqft|gfa|floor area|gross area|area sq ft|total sq ft|building sq ft|total area|building area|bldg sq ft|sq footage|gross floor area|sq m|area sqft|total square footage|bldg area|const bldg area|floor area sq ft|size sq ft|total square feet|building area sq ft|sqm"},
	{"~flood_zone", "flood zone|fema flood zone|floodzone|fema zone|flood zone code|flood risk zone|fema flood zone code|ea flood zone"},
	{"~eq_zone", "eq zone|earthquake zone|seismic zone|eqzone|ubc seismic zone"},
	{"~wind_tier", "wind tier|windtier|wind zone|tier"},
	{"~building_fact", "roof|roof geometry|roof type|roof age|roof update|wiring update|plumbing update|hvac update|roof covering|year roof|protection class|iso protection class|ppc|fire protection class|distance to coast|basement|number of units|percent occupied|occupied percent|type of wiring|roof year|interest|owned leased|owned or leased|lease owned|own lease|tenure|distance to hydrant|number of buildings|number bldgs|cladding"},

	{"building_value", "bldg val|building val|gebäude|gebäudewert|bâtiment|bâtiments|batiment|batiments|edificio|edificios|fabbricato|fabbricati|gebouw|gebouwen|immeuble|versicherungssumme gebäude|building value|building|buildings|building values|bldg value|bldg|bldg limit|building limit|bldg tiv|building tiv|real property|real property value|replacement cost|replacement value|rcv|building rcv|building replacement cost|reinstatement value|declared value|building declared value|day one|day one value|rebuilding sum insured|rebuild cost|rebuild value|rebuilding cost|structure value|coverage a|cv1|eqcv 1 val|eqcv1val|wscv1val|tocv1val|flcv1val|frcv1val|trcv1val|building insured value|building replacement cost value|buildings sum insured|buildings declared value|building sum insured|building amount|building coverage|bldg values|bldg replacement cost|building rc|building replacement value|building limits|limits building value|100 percent building value|building cost|replacement cost new|rcn|cost of reproduction new|bldg rcv|buildings value|building replacement cost new|building real property|buildings si|bldg coverage|building reinstatement|reinstatement cost|100 percent rc building|building limit of insurance"},
	{"~building_other", "limits building limit|requested building limit|expiring building value|prior building value"},
	{"contents_tiv", "cont|conts|inhalt|contenu|contenido|contenidos|inventar|betriebseinrichtung|contenuto|inhoud|mobilier|contents|content|contents value|contents values|bpp|business personal property|personal property|personal property value|contents tiv|bpp value|bpp limit|contents bpp|contents limit|cv2|eqcv2val|wscv2val|flcv2val|frcv2val|coverage c|contents sum insured|business personal property value|bpp values|contents bpp values|contents bpp value|bus pers prop|contents amount|your business personal property|bpp contents|contents replacement cost|contents rcv|personal property limit|contents insured value|all contents|contents coverage|general contents|contents personal property|bpp coverage|office contents|contents including stock|contents incl stock|business contents|contents si|business personal property limit|contents and equipment|bpp tiv|contents declared value|content value|bpp limit of insurance|trade contents"},
	{"~equipment", "maschinen|maschinen und anlagen|technische einrichtung|matériel|materiel|maquinaria|macchinari|machines|installaties|technische anlagen|m and e|machinery and equipment|machinery and plant|plant and machinery|m and p|p and m|equipment|ff and e|ffe|machinery|machinery and equipment values|machinery and equipment value|furniture fixtures and equipment|tenants improvements|tib|ti|edp|improvements and betterments|tenant improvements|tenants improvements and betterments|machinery plant|plant machinery|fixtures and fittings|computer equipment|plant|ff e|m e|machinery and contents|equipment value|machinery plant and equipment|machinery sum insured|m and e value|machinery plant and contents|edp equipment|electronic equipment|machinery plant and all other contents|tenant improvements and betterments"},
	{"stock_tiv", "vorräte|waren|warenlager|stocks|marchandises|existencias|merci|voorraad|stock|inventory|stock value|inventory value|stock and supplies|raw materials|finished goods|wip|merchandise|goods in trade|stock tiv|stock sum insured|inventory values|stock limit|stock in trade|stock materials in trade|stock and materials in trade|stock inventory|inventory stock|stock values|work in progress|stock throughput|stock wip|stock rm|stock fg|stock amount|inventory limit"},
	{"business_interruption_value", "bu|betriebsunterbrechung|ertragsausfall|perte d exploitation|pertes d exploitation|pertes dexploitation|perte dexploitation|lucro cesante|bedrijfsschade|danni indiretti|bi|business income|business interruption|bi ee|bi with ee|bi and ee|bitiv|bi tiv|time element|time element value|cv3|eqcv3val|wscv3val|flcv3val|frcv3val|loss of income|loss of profits|gross profit|gp|gross earnings|bi value|bi values|business income value|business income values|business interruption value|bi limit requested|annual bi|business income and extra expense|bi gross profit|annual business income|business income limit|bi sum insured|bi amount|business income extra expense|business interruption values|12 months bi|annual gross profit|bi gp|business income ee|bi extra expense|business income rental income|bi rental income|business income including rental value|bi rents|bi ee value|bi including ee|limits business income|estimated gross profit|bi 12 months|business income with ee|bi ee limit|time element values|insured gross profit|business interruption gross profit|gross revenue bi|business income incl ee|bus income|business int|business interruption sum insured|loss of gross profit"},
	{"~rents", "rents|rental income|rental value|rent receivable|rents receivable|loss of rent|loss of rents|rental|annual rents|annual rental income|rental values|rent|annual rent|annual rent receivable|loss of rental income|annual rental value|icow|extra expense|ee|additional increased cost of working|increased cost of working|aicow"},
	{"~other_value", "other|other value|other values|other property|other property values|other property value|other structures|miscellaneous|outdoor property|other limit|other structures value|coverage b|appurtenant structures value|misc property|signs|other tiv|miscellaneous property"},
	{"location_pd", "pd|property damage|total pd|material damage|pd tiv|total property damage|pd value|pd values|property damage value|total pd value|md|material damage value|total material damage|total rp and bpp|limits total rp and bpp|total pd values|property damage total|pd total|property damage tiv"},
	{"100_pct_pd_limit", "pd limit|limit pd 100 percent|loclimit5pd|loc limit 5 pd|md limit|property damage limit|100 percent pd limit|pd limit 100 percent|material damage limit|limit pd"},
	{"100_pct_bi_limit", "bi limit 100 percent|loclimit4bi|loc limit 4 bi|bi 100 percent|100 percent bi limit|business interruption limit|limit bi 100 percent|bi sublimit"},
	{"~bi_limit", "bi limit"},
	{"100_pct_limit", "gesamt|versicherungssumme|gesamtversicherungssumme|total assuré|total asegurado|suma asegurada|totaal|totale|tiv|total insured value|total sum insured|tsi|total values|total value|sum insured|total insurable value|loclimit6all|loc limit 6 all|limit 100 percent|full value|fgu|total|total tiv|total insured values|total insurable values|sums insured|limits total value|total sums insured|total values at risk|total location value|total limit|total declared value|100 percent limit|total reported values|insured value|total si|total values tiv|tiv total|location tiv|total insured|100 percent tiv|total all values|grand total|total exposure|value|amount|insurable value|total amount insured|location total|values|combined value|total sum|total insured amount|100 percent values|total property values|total insured value tiv|combined tiv|total replacement cost|total replacement value"},
	{"~total_limit", "limits total limit"},
	{"100_pct_coverage_limits", "coverage limit|limits of insurance|coverage limits|coverage limits 100 percent|100 percent coverage limits|100 percent coverage limit|limit of insurance"},
	{"location_application_limit", "limit requested|requested limit|application limit|location limit|loss limit|limit of liability|location loss limit|requested location limit|location application limit|limit applied for"},
	{"location_charge_value", "premium|charge|location premium|annual premium|location charge|loc gross premium|locgrosspremium|charge value|location charge value|gross premium"},

	{"~category", "category|item insured|cover|coverage|description of property|interest|section|property insured|sum insured category|type|coverage type|subject of insurance|interest insured|insured item|subject|asset type|cover type|class|item description|property category|value type|category of property|type of property insured|subject matter"},
}

// foreign are headers of tables that are not about buildings.
var foreign = set("vin", "make", "model", "vehicle", "claim", "claim number", "claims", "date of loss", "loss date", "dol", "paid", "reserve", "reserved", "reserves", "incurred", "total incurred", "outstanding", "claimant", "payroll", "class code", "driver", "drivers license", "cost new", "registration", "reg number", "make model", "vehicle type", "date of birth", "dob", "license number", "employees", "remuneration", "wages", "cause", "cause of loss", "amount paid", "date of claim", "claim type", "claim date", "status", "wageroll", "deductible", "rate", "serial number", "year make model", "gvw", "garaging address", "policy number", "layer", "insurer", "carrier", "expiring premium", "loss type", "loss description", "gross vehicle weight", "incident date", "incident", "number of employees", "headcount", "turnover", "job title", "hire date", "date reported", "salary", "number of claims", "settled", "loss amount", "paid losses", "invoice", "quantity", "qty", "unit price")

func foreignHeader(key string) bool { return foreign[key] }

type headerMatch struct {
	field string
	from  source
}

var headerForms = func() map[string]headerMatch {
	m := map[string]headerMatch{}
	for _, h := range headerTable {
		for form := range strings.SplitSeq(h.forms, "|") {
			if _, taken := m[form]; !taken {
				m[form] = headerMatch{h.field, fromHeader}
			}
		}
	}
	return m
}()

// looseForms are the headers as sets of their significant words.
var looseForms = func() map[string]headerMatch {
	m := map[string]headerMatch{}
	for _, h := range headerTable {
		for form := range strings.SplitSeq(h.forms, "|") {
			if key := loose(form); strings.Contains(key, " ") {
				if _, taken := m[key]; !taken {
					m[key] = headerMatch{h.field, fromFuzzy}
				}
			}
		}
	}
	return m
}()

var (
	slack     = set("pa", "annum", "dv", "si", "tbd", "total", "amount", "amt", "estimated", "est", "current", "proposed", "declared", "the", "of", "at", "in", "per", "new", "annual", "insured", "approx", "for", "000", "000s", "s", "k", "rc", "cost", "100", "percent", "full", "renewal", "2", "a", "or", "and", "y", "n", "yes", "no", "please", "enter", "if", "any", "limits", "required", "reported", "updated", "actual")
	alike     = map[string]string{"bldg": "building", "buildings": "building", "values": "value", "limits": "limit", "loc": "location", "locations": "location", "const": "construction", "constr": "construction", "sprinklers": "sprinkler", "sprinklered": "sprinkler", "detectors": "detector", "alarms": "alarm", "contents": "content", "addr": "address", "occ": "occupancy", "ft": "feet", "sq": "square", "stories": "story", "storeys": "story", "yr": "year", "rents": "rent", "percentage": "percent", "floors": "story", "premises": "location", "site": "location", "risk": "location", "inventory": "stock", "no": "number"}
	leads     = []string{"location ", "loc ", "risk ", "property ", "site ", "premises ", "limits ", "const ", "insured ", "building ", "bldg ", "physical "}
	including = regexp.MustCompile(` (?:incl|including|inclusive|inc)\b.*$`)
	monthsIn  = regexp.MustCompile(`(?i)\b\d{1,2}\s*-?\s*(?:m|mths?|mos?|months?)\b`)
	units     = regexp.MustCompile(`(?i)(?:^|[^\d,.'\s])\s*'?000'?s?\b|\bthousands?\b|[$£€]k\b|[$£€]\s*m\b|\b(?:in|gbp|usd|eur)\s+(?:m\b|mm\b|millions?\b)`)
)

// loose returns the significant words of a header in alphabetical order.
func loose(key string) string {
	var kept []string
	for w := range strings.SplitSeq(key, " ") {
		if other, ok := alike[w]; ok {
			w = other
		}
		if slack[w] || w == "" {
			continue
		}
		at := 0
		for at < len(kept) && kept[at] < w {
			at++
		}
		if at < len(kept) && kept[at] == w {
			continue
		}
		kept = append(kept[:at], append([]string{w}, kept[at:]...)...)
	}
	return strings.Join(kept, " ")
}

// eitherHeader returns the one of two names that is a field of responses: "Tenant /
// Use".
func eitherHeader(text string) (headerMatch, bool) {
	first, second, ok := strings.Cut(text, "/")
	if !ok {
		return headerMatch{}, false
	}
	a, known := headerForms[words(first)]
	b, other := headerForms[words(second)]
	switch {
	case known && other && strings.HasPrefix(a.field, "~"):
		return headerMatch{b.field, fromFuzzy}, true
	case known && (other || len(words(second)) < 12):
		return headerMatch{a.field, fromFuzzy}, true
	}
	return headerMatch{}, false
}

func withoutSlack(key string) string {
	var kept []string
	for w := range strings.SplitSeq(key, " ") {
		if !slack[w] {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}

// The checks of single characters and words in these functions are faster than the
// patterns, which most headers do not match.

func withoutUnits(text string) string {
	lower := strings.ToLower(text)
	if !strings.ContainsAny(lower, "$£€\t\f\r") && !strings.Contains(lower, "000") && !strings.Contains(lower, "thou") && !strings.Contains(lower, " m") {
		return text
	}
	return units.ReplaceAllString(text, " ")
}

func withoutMonths(text string) string {
	if !strings.ContainsAny(text, "mM") || !strings.ContainsAny(text, "0123456789") {
		return text
	}
	return monthsIn.ReplaceAllString(text, " ")
}

func withoutIncluded(key string) string {
	if !strings.Contains(key, " inc") {
		return key
	}
	return including.ReplaceAllString(key, "")
}

// matchHeader finds the field that a header names.
func matchHeader(text string) (headerMatch, bool) {
	text = strings.ReplaceAll(text, "\n", " ")
	if len(text) > 100 || strings.TrimSpace(text) == "" {
		return headerMatch{}, false
	}
	whole := words(text)
	key := whole
	if m, ok := headerForms[key]; ok {
		return m, true
	}
	if foreign[key] {
		return headerMatch{}, false
	}
	if bare := withoutUnits(text); bare != text {
		if key = words(bare); key != "" {
			if m, ok := headerForms[key]; ok {
				return m, true
			}
		}
	}
	if short := strings.TrimSuffix(strings.TrimPrefix(key, "100 percent "), " 100 percent"); short != key {
		if m, ok := headerForms[short]; ok {
			return m, true
		}
	}
	if m, ok := eitherHeader(text); ok {
		return m, true
	}
	// "BI 24m", "Gross profit (18 months)"
	short := whole
	if bare := withoutMonths(text); bare != text {
		short = words(bare)
	}
	if short != key && short != "" {
		if m, ok := headerForms[short]; ok {
			return m, true
		}
		key = short
	}
	// "Business income incl. extra expense"
	if short := withoutIncluded(key); short != key {
		if m, ok := headerForms[short]; ok {
			return headerMatch{m.field, fromFuzzy}, true
		}
	}
	if m, ok := looseForms[loose(key)]; ok {
		return m, true
	}
	if m, ok := headerForms[withoutSlack(key)]; ok && moneyCols[m.field] && !strings.Contains(key, "percent") {
		return headerMatch{m.field, fromFuzzy}, true // "Buildings DV"
	}
	for _, lead := range leads {
		if rest, ok := strings.CutPrefix(key, lead); ok {
			if m, ok := headerForms[rest]; ok && rest != "number" && rest != "total" && rest != "value" && rest != "limit" && rest != "name" && rest != "area" && rest != "type" && rest != "description" && rest != "class" && rest != "id" && rest != "premium" {
				return headerMatch{m.field, fromFuzzy}, true
			}
		}
	}
	return headerMatch{}, false
}

// scaleOf returns the unit of the values: 1, a thousand or a million.
func scaleOf(text string) amount {
	m := strings.ToLower(units.FindString(text))
	switch {
	case m == "":
		return 1
	case strings.Contains(m, "000") || strings.Contains(m, "thousand") || strings.HasSuffix(m, "k"):
		return 1000
	}
	return 1_000_000
}
