package address

import "strings"

// cityAliases maps local, former and short names of cities to the names under
// which the world table lists them. Both are keys.
var cityAliases = map[string]string{
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

// IsCity reports whether the tables list a city or town of that name in the
// country with the given ISO code, or in any country when iso is empty.
func IsCity(name, iso string) bool {
	key := Key(name)
	if key == "" {
		return false
	}
	if (iso == "" || iso == "US") && isUSCity(key) {
		return true
	}
	for _, c := range worldCities(key) {
		if iso == "" || c.country == iso {
			return true
		}
	}
	return false
}

// saints are the words for which "St." stands in other languages.
var saints = []string{"sankt ", "sint "}

// worldCities returns the cities outside the US with that key. If the key is in
// cityAliases, the cities with the listed name come first, as they are larger.
func worldCities(key string) []worldCity {
	if key == "" {
		return nil
	}
	if listed, ok := cityAliases[key]; ok {
		return append(citiesOfWorld(listed), citiesOfWorld(key)...)
	}
	found := citiesOfWorld(key)
	if name, ok := strings.CutPrefix(key, "saint "); ok {
		for _, saint := range saints {
			found = append(found[:len(found):len(found)], citiesOfWorld(saint+name)...) // Key turns "St." into "saint"
		}
	}
	return found
}

// cityIn returns the likeliest city with that key in the country. It prefers a
// city in the given state.
func cityIn(key, iso, state string) (worldCity, bool) {
	var best worldCity
	admin1, ok := admin1Codes[iso][state], false
	for _, c := range worldCities(key) {
		if c.country != iso {
			continue
		}
		if admin1 != "" && c.admin1 == admin1 {
			return c, true
		}
		if !ok {
			best, ok = c, true
		}
	}
	return best, ok
}

// largeCityZIPs is the number of ZIP codes from which a US city counts as large,
// so that its name alone identifies it.
const largeCityZIPs = 25

// wellKnownCity returns the country, and for the US the state, of a city that
// its name alone identifies: a capital, a large US city, or a city whose name
// occurs in one country only.
func wellKnownCity(key string) (iso, state string, position Position, ok bool) {
	if iso, ok := countries().capitals[key]; ok && iso != "US" {
		if _, listed := cityIn(key, iso, ""); listed {
			return iso, "", countries().byISO[iso].position, true
		}
	}
	american := citiesOfUS(key)
	var biggest usCity
	others := 0
	for _, c := range american {
		if c.zipCount > biggest.zipCount {
			biggest = c
		}
		others += c.zipCount
	}
	others -= biggest.zipCount
	abroad := worldCities(key)
	if biggest.zipCount >= max(largeCityZIPs, 2*others) && (len(abroad) == 0 || abroad[0].country != "GB") {
		return "US", biggest.state, biggest.position, true
	}
	if len(american) > 0 || len(abroad) == 0 {
		return "", "", Position{}, false
	}
	for _, c := range abroad {
		if c.country != abroad[0].country {
			return "", "", Position{}, false
		}
	}
	return abroad[0].country, "", abroad[0].position, true
}

// cutCity splits words into a street and the city at their end: the longest name
// of at most four words that known accepts. The street keeps at least two words.
func cutCity(words []string, known func(key string) bool) (street, city string, ok bool) {
	for n := min(4, len(words)-1); n > 0; n-- {
		city := strings.Join(words[len(words)-n:], " ")
		if street := words[:len(words)-n]; len(street) > 1 && !strings.ContainsAny(city, "0123456789") && known(Key(city)) {
			return strings.Join(street, " "), city, true
		}
	}
	return "", "", false
}
