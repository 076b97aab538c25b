package address

import "strings"

// ownNames are names that cities have in their own tongue, or had, by key,
// where the world table lists them by another.
var ownNames = map[string]string{
	"munchen": "munich", "muenchen": "munich", "koeln": "koln", "cologne": "koln", "nurnberg": "nuremberg",
	"nuernberg": "nuremberg", "frankfurt": "frankfurt am main", "hanover": "hannover", "duesseldorf": "dusseldorf",
	"wien": "vienna", "roma": "rome", "milano": "milan", "torino": "turin", "napoli": "naples", "genova": "genoa",
	"firenze": "florence", "venezia": "venice", "lisboa": "lisbon", "praha": "prague", "warszawa": "warsaw",
	"kobenhavn": "copenhagen", "goteborg": "gothenburg", "bruxelles": "brussels", "brussel": "brussels",
	"antwerpen": "antwerp", "geneve": "geneva", "genf": "geneva", "lucerne": "luzern", "den haag": "the hague",
	"s gravenhage": "the hague", "sgravenhage": "the hague", "seville": "sevilla", "ghent": "gent", "bruges": "brugge",
	"bucuresti": "bucharest", "moskva": "moscow", "ciudad de mexico": "mexico city", "cdmx": "mexico city",
	"bombay": "mumbai", "bangalore": "bengaluru", "calcutta": "kolkata", "madras": "chennai", "kiev": "kyiv",
	"hull": "kingston upon hull", "athina": "athens", "beograd": "belgrade", "newcastle": "newcastle upon tyne",
	"stoke": "stoke on trent", "peking": "beijing", "saigon": "ho chi minh city", "zaragossa": "zaragoza",
	"saragossa": "zaragoza", "marseilles": "marseille", "lyons": "lyon", "basle": "basel", "panama city": "panama",
}

// Town tells whether a town of that name is known in the country, given by its
// ISO code, or in any country when that is empty.
func Town(name, iso string) bool {
	key := Key(name)
	if key == "" {
		return false
	}
	if (iso == "" || iso == "US") && len(unitedStates().named(key)) > 0 {
		return true
	}
	for _, c := range cities(key) {
		if iso == "" || c.country == iso {
			return true
		}
	}
	return false
}

// cities returns the places outside the US of that name, by its key. What a
// name in ownNames stands for comes first, as it is the larger place.
func cities(key string) []city {
	if key == "" {
		return nil
	}
	if other, ok := ownNames[key]; ok {
		return append(world().named(other), world().named(key)...)
	}
	return world().named(key)
}

// cityIn returns the likeliest place of that name in the country; of the
// places of one name, that in the state is preferred.
func cityIn(key, iso, state string) (city, bool) {
	var best city
	area, ok := areas[iso][state], false
	for _, c := range cities(key) {
		if c.country != iso {
			continue
		}
		if area != "" && c.area == area {
			return c, true
		}
		if !ok {
			best, ok = c, true
		}
	}
	return best, ok
}

// manyZIPs is the number of ZIP codes from which a US city is known by its
// name alone.
const manyZIPs = 25

// famous returns the country, and for the US the state, of a city that is
// known by its name alone: a capital, a large city of the US, or a name that
// only one country has.
func famous(key string) (iso, state string, position Position, ok bool) {
	if iso, ok := countries().seats[key]; ok && iso != "US" {
		if _, big := cityIn(key, iso, ""); big {
			return iso, "", countries().byISO[iso].position, true
		}
	}
	towns := unitedStates().named(key)
	var large town
	others := 0
	for _, t := range towns {
		if t.zips > large.zips {
			large = t
		}
		others += t.zips
	}
	others -= large.zips
	abroad := cities(key)
	if large.zips >= max(manyZIPs, 2*others) && (len(abroad) == 0 || abroad[0].country != "GB") {
		return "US", large.state, large.position, true
	}
	if len(towns) > 0 || len(abroad) == 0 {
		return "", "", Position{}, false
	}
	for _, c := range abroad {
		if c.country != abroad[0].country {
			return "", "", Position{}, false
		}
	}
	return abroad[0].country, "", abroad[0].position, true
}

// cutCity takes the city off the end of words that begin with a street: the
// longest name of at most four words that known accepts. The street keeps at
// least two words.
func cutCity(words []string, known func(key string) bool) (street, city string, ok bool) {
	for n := min(4, len(words)-1); n > 0; n-- {
		city := strings.Join(words[len(words)-n:], " ")
		if street := words[:len(words)-n]; len(street) > 1 && !strings.ContainsAny(city, "0123456789") && known(Key(city)) {
			return strings.Join(street, " "), city, true
		}
	}
	return "", "", false
}
