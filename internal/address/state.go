package address

import (
	"strconv"
	"strings"
	"sync"
)

// state is a state of the US or a province of Canada.
type state struct{ code, country string }

const usStates = `AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware,
DC District of Columbia,FL Florida,GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS Kansas,KY Kentucky,
LA Louisiana,ME Maine,MD Maryland,MA Massachusetts,MI Michigan,MN Minnesota,MS Mississippi,MO Missouri,MT Montana,
NE Nebraska,NV Nevada,NH New Hampshire,NJ New Jersey,NM New Mexico,NY New York,NC North Carolina,ND North Dakota,
OH Ohio,OK Oklahoma,OR Oregon,PA Pennsylvania,RI Rhode Island,SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,
UT Utah,VT Vermont,VA Virginia,WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming,
AL Ala,AZ Ariz,AR Ark,CA Calif,CO Colo,CT Conn,DE Del,FL Fla,IL Ill,IN Ind,KS Kan,MA Mass,MI Mich,MN Minn,MS Miss,
MT Mont,NE Neb,NV Nev,OK Okla,OR Ore,PA Penn,TN Tenn,TX Tex,WA Wash,WI Wis,WV W Va,WY Wyo,
PR Puerto Rico,GU Guam,VI Virgin Islands,AS American Samoa,MP Northern Mariana Islands`

const provinces = `AB Alberta,BC British Columbia,MB Manitoba,NB New Brunswick,NL Newfoundland and Labrador,
NL Newfoundland,NS Nova Scotia,NT Northwest Territories,NU Nunavut,ON Ontario,PE Prince Edward Island,PE PEI,
QC Quebec,QC PQ,SK Saskatchewan,YT Yukon,YT Yukon Territory`

var states = sync.OnceValue(func() map[string]state {
	table := map[string]state{}
	for list, country := range map[string]string{usStates: "US", provinces: "CA"} {
		for entry := range strings.SplitSeq(list, ",") {
			code, name, _ := strings.Cut(strings.TrimSpace(entry), " ")
			table[Key(code)] = state{code, country}
			table[Key(name)] = state{code, country}
		}
	}
	return table
})

// State looks up a US state or territory or a Canadian province by name or code,
// and returns its two-letter code and the ISO code of its country.
func State(text string) (code, countryISO string, ok bool) {
	if len(text) > 60 {
		return "", "", false
	}
	found, ok := states()[Key(text)]
	return found.code, found.country, ok
}

// provinceOf maps the first letter of a Canadian postal code to the province. It
// omits letters that several provinces share.
var provinceOf = map[byte]string{
	'A': "NL", 'B': "NS", 'C': "PE", 'E': "NB", 'G': "QC", 'H': "QC", 'J': "QC", 'K': "ON", 'L': "ON",
	'M': "ON", 'N': "ON", 'P': "ON", 'R': "MB", 'S': "SK", 'T': "AB", 'V': "BC", 'Y': "YT",
}

// largestProvinceCity is the key of each province's largest city.
var largestProvinceCity = map[string]string{
	"AB": "calgary", "BC": "vancouver", "MB": "winnipeg", "NB": "moncton", "NL": "saint johns", "NS": "halifax",
	"NT": "yellowknife", "NU": "iqaluit", "ON": "toronto", "PE": "charlottetown", "QC": "montreal", "SK": "saskatoon",
	"YT": "whitehorse",
}

// admin1Codes maps a state, as addresses write it, to the code of its first-level
// administrative area in the world table, by country.
var admin1Codes = map[string]map[string]string{
	"CA": {
		"AB": "01", "BC": "02", "MB": "03", "NB": "04", "NL": "05", "NS": "07", "ON": "08", "PE": "09",
		"QC": "10", "SK": "11", "YT": "12", "NT": "13", "NU": "14",
	},
	"AU": {"ACT": "01", "NSW": "02", "NT": "03", "QLD": "04", "SA": "05", "TAS": "06", "VIC": "07", "WA": "08"},
	"GB": {"England": "ENG", "Scotland": "SCT", "Wales": "WLS", "Northern Ireland": "NIR"},
}

// australianState looks up an Australian state or territory by code or name and
// returns its code.
func australianState(text string) (string, bool) {
	switch Key(text) {
	case "nsw", "new south wales":
		return "NSW", true
	case "vic", "victoria":
		return "VIC", true
	case "qld", "queensland":
		return "QLD", true
	case "sa", "south australia":
		return "SA", true
	case "wa", "western australia":
		return "WA", true
	case "tas", "tasmania":
		return "TAS", true
	case "nt", "northern territory":
		return "NT", true
	case "act", "australian capital territory":
		return "ACT", true
	}
	return "", false
}

func mustParseFloat(text string) float64 {
	number, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return number
}
