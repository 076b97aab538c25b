package address

import (
	"strings"
	"sync"
)

// country is a line of tables/countries.tsv.
type country struct {
	iso, iso3, name string
	capital         string // key
	position        Position
}

type countryTable struct {
	byISO map[string]country
	byKey map[string]string // key of a name, code or alias → ISO code
	seats map[string]string // key of a capital → ISO code
}

var countries = sync.OnceValue(func() countryTable {
	text, err := files.ReadFile("tables/countries.tsv")
	if err != nil {
		panic(err)
	}
	table := countryTable{map[string]country{}, map[string]string{}, map[string]string{}}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimRight(line, "\n"), "\t")
		c := country{cells[0], cells[1], cells[2], Key(cells[5]), Position{decimal(cells[3]), decimal(cells[4])}}
		table.byISO[c.iso] = c
		for _, alias := range append(strings.Split(cells[6], ";"), c.iso, c.iso3, c.name) {
			if alias != "" {
				table.byKey[Key(alias)] = c.iso
			}
		}
		// Small states share their capital's name with larger places.
		if _, taken := table.seats[c.capital]; !taken && c.capital != "" {
			table.seats[c.capital] = c.iso
		}
	}
	return table
})

// Country recognises a country by name, code or common alias.
func Country(text string) (iso, name string, ok bool) {
	if len(text) > 100 {
		return "", "", false
	}
	table := countries()
	iso, ok = table.byKey[Key(text)]
	return iso, table.byISO[iso].name, ok
}

// nations are the parts of the United Kingdom that people write as a country;
// the name stands in Address.State when no county does.
var nations = map[string]string{
	"england": "England", "scotland": "Scotland", "wales": "Wales", "northern ireland": "Northern Ireland",
}

// counties are names that follow a post town in British and Irish addresses.
var counties = keys(`Aberdeenshire, Anglesey, Angus, Antrim, Argyll, Argyll and Bute, Armagh, Avon, Ayrshire, Banffshire,
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

func keys(list string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.SplitSeq(list, ",") {
		set[Key(name)] = true
	}
	return set
}
