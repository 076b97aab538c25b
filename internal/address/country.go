package address

import (
	"strings"
	"sync"
)

// country is one line of tables/countries.tsv.
type country struct {
	iso, iso3, name string
	capital         string // key
	position        Position
}

type countryTable struct {
	byISO    map[string]country
	byKey    map[string]string // key of a name, code or alias → ISO code
	capitals map[string]string // key of a capital → ISO code
}

var countries = sync.OnceValue(func() countryTable {
	table := countryTable{map[string]country{}, map[string]string{}, map[string]string{}}
	for line := range strings.Lines(countryTSV) {
		cells := strings.Split(strings.TrimRight(line, "\n"), "\t")
		c := country{cells[0], cells[1], cells[2], Key(cells[5]), Position{mustParseFloat(cells[3]), mustParseFloat(cells[4])}}
		table.byISO[c.iso] = c
		for _, alias := range append(strings.Split(cells[6], ";"), c.iso, c.iso3, c.name) {
			if alias != "" {
				table.byKey[Key(alias)] = c.iso
			}
		}
		// Norfolk Island's capital has the name of Jamaica's, the larger city;
		// Jamaica comes first in the table.
		if _, taken := table.capitals[c.capital]; !taken && c.capital != "" {
			table.capitals[c.capital] = c.iso
		}
	}
	return table
})

// Country looks up a country by English name, ISO 3166-1 code (two or three
// letters) or common alias, and returns its two-letter code and English short
// name.
func Country(text string) (iso, name string, ok bool) {
	if len(text) > 100 {
		return "", "", false
	}
	table := countries()
	iso, ok = table.byKey[Key(text)]
	return iso, table.byISO[iso].name, ok
}

// ukNations are the parts of the United Kingdom that people write as a country.
// Address.State holds the nation if the address names no county.
var ukNations = map[string]string{
	"england": "England", "scotland": "Scotland", "wales": "Wales", "northern ireland": "Northern Ireland",
}

// counties are the keys of names that follow the post town in British and Irish
// addresses.
var counties = keySet(`Aberdeenshire, Anglesey, Angus, Antrim, Argyll, Argyll and Bute, Armagh, Avon, Ayrshire, Banffshire,
	Bedfordshire, Beds, Berkshire, Berks, Berwickshire, Blaenau Gwent, Borders, Bridgend, Buckinghamshire, Bucks,
	Caithness, Cambridgeshire, Cambs, Carmarthenshire, Ceredigion, Cheshire, Clackmannanshire, Cleveland, Clwyd, Conwy,
	Cornwall, County Antrim, County Armagh, County Down, County Durham, County Fermanagh, County Londonderry,
	County Tyrone, Co Antrim, Co Armagh, Co Down, Co Durham, Co Fermanagh, Co Londonderry, Co Tyrone, Cumberland,
	Cumbria, Denbighshire, Derbyshire, Devon, Dorset, Dumfriesshire, Dunbartonshire, Dyfed, East Lothian,
	East Riding of Yorkshire, East Sussex, East Yorkshire, Essex, Fermanagh, Fife, Flintshire, Glamorgan, Gloucestershire, Glos,
	Greater London, Greater Manchester, Gwent, Gwynedd, Hampshire, Hants, Herefordshire, Hertfordshire, Herts, Highland,
	Humberside, Huntingdonshire, Inverness-shire, Isle of Wight, Kent, Kincardineshire, Kinross-shire, Kirkcudbrightshire,
	Lanarkshire, Lancashire, Lancs, Leicestershire, Leics, Lincolnshire, Lincs, Merseyside, Merthyr Tydfil, Mid Glamorgan, Middlesex, Middx, Midlothian,
	Monmouthshire, Moray, Norfolk, North Yorkshire, Northamptonshire, Northants, Northumberland, North Lincolnshire,
	Nottinghamshire, Notts, Orkney, Oxfordshire, Oxon, Peeblesshire, Pembrokeshire, Perthshire, Powys, Renfrewshire,
	Rhondda Cynon Taf, Ross-shire, Roxburghshire, Rutland, Selkirkshire, Shetland, Shropshire, Somerset, South Glamorgan,
	South Yorkshire, Staffordshire, Staffs, Stirlingshire, Suffolk, Surrey, Sussex, Sutherland, Tyne and Wear, Tyrone,
	Vale of Glamorgan, Warwickshire, Warks, West Glamorgan, West Lothian, West Midlands, West Sussex, West Yorkshire,
	Wigtownshire, Wiltshire, Wilts, Worcestershire, Worcs, Yorkshire, Yorks`)

func keySet(list string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.SplitSeq(list, ",") {
		set[Key(name)] = true
	}
	return set
}
