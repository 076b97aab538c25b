package address

import (
	"strings"
	"testing"
)

// parseTests hold the text of an address and the expected street, city, state,
// postal code and country code, separated by bars.
var parseTests = []struct{ text, want string }{
	// United States
	{"123 Main St Ste 4, Springfield, IL 62701", "123 Main St Ste 4|Springfield|IL|62701|US"},
	{"123 Main St Ste 4 Springfield IL 62701-1234", "123 Main St Ste 4|Springfield|IL|62701-1234|US"},
	{"123 Main Street, Springfield, IL, 62701", "123 Main Street|Springfield|IL|62701|US"},
	{"Carretera de Alcora km 7, 12130 Sant Joan de Moró, Castellón", "Carretera de Alcora km 7|Sant Joan de Moró|Castellón|12130|ES"},
	{"Avenida del Faro 27, 39740 Santoña (Cantabria)", "Avenida del Faro 27|Santoña|Cantabria|39740|ES"},
	{"Calle del Olmo 4, 18001 Granada, Granada", "Calle del Olmo 4|Granada|Granada|18001|ES"},
	{"Avenida Juárez 4, 44100 Guadalajara, Jalisco", "Avenida Juárez 4|Guadalajara|Jalisco|44100|"},
	{"Carretera de Alcora km 7, 12130 Sant Joan de Moró", "Carretera de Alcora km 7|Sant Joan de Moró||12130|"},
	{"Polígono El Serrallo, parcela 44, 12006 Castellón de la Plana", "Polígono El Serrallo, parcela 44|Castellón de la Plana||12006|"},
	{"Bergstrasse 19, 9200 Gossau SG", "Bergstrasse 19|Gossau|SG|9200|CH"},
	{"Bergstrasse 19, CH-9200 Gossau (SG)", "Bergstrasse 19|Gossau|SG|CH-9200|CH"},
	{"Via dei Tigli 14, 36100 Vicenza (VI)", "Via dei Tigli 14|Vicenza|VI|36100|IT"},
	{"Viale Europa 31, 35010 Limena PD, Italia", "Viale Europa 31|Limena|PD|35010|IT"},
	{"Contrada Larice 2, 85020 Larice Nuovo (PZ)", "Contrada Larice 2|Larice Nuovo|PZ|85020|IT"},
	{"Via Nassa 5, 6900 Lugano TI, Switzerland", "Via Nassa 5|Lugano|TI|6900|CH"},
	{"Via Grevas 4, 7500 St. Moritz", "Via Grevas 4|St. Moritz||7500|CH"},
	{"Ringstraße 4, 3100 St. Pölten", "Ringstraße 4|St. Pölten||3100|AT"},
	{"Chemin du Lac 7, 1820 Montreux VD", "Chemin du Lac 7|Montreux|VD|1820|CH"},
	{"Unit 4, Harbour Business Park, Ringaskiddy, Co. Cork, P43 XY21, Ireland", "Unit 4, Harbour Business Park|Ringaskiddy|Co. Cork|P43 XY21|IE"},
	{"7 Mill Lane, Naas, County Kildare, W91 AB12", "7 Mill Lane|Naas|County Kildare|W91 AB12|IE"},
	{"ZI Nord, 12 rue des Forges, 59000 Lille Cedex 9", "ZI Nord, 12 rue des Forges|Lille||59000|FR"},
	{"Polígono Industrial Las Eras, parcela 21", "Polígono Industrial Las Eras, parcela 21||||"},
	{"Building 4, 12006 Wilshire", "Building 4, 12006 Wilshire||||"},
	{"123 Main Street, Springfield, Illinois 62701", "123 Main Street|Springfield|IL|62701|US"},
	{"123 Main St\nSuite 400\nSpringfield, IL 62701\nUSA", "123 Main St, Suite 400|Springfield|IL|62701|US"},
	{"123 Main St, Springfield, IL 62701, United States of America", "123 Main St|Springfield|IL|62701|US"},
	{"123 Main St Springfield IL 62701 USA", "123 Main St|Springfield|IL|62701|US"},
	{"P.O. Box 1234, Austin, TX 78701", "P.O. Box 1234|Austin|TX|78701|US"},
	{"PO Box 77 Austin TX 78701", "PO Box 77|Austin|TX|78701|US"},
	{"500 W Madison St, Ste 1000, Chicago, Illinois", "500 W Madison St, Ste 1000|Chicago|IL||US"},
	{"Springfield, IL", "|Springfield|IL||US"},
	{"Springfield IL", "|Springfield|IL||US"},
	{"springfield il 62701", "|springfield|IL|62701|US"},
	{"St. Louis, MO 63101", "|St. Louis|MO|63101|US"},
	{"1 Arch Dr, St. Louis, MO", "1 Arch Dr|St. Louis|MO||US"},
	{"New York, NY 10001", "|New York|NY|10001|US"},
	{"350 5th Ave, New York, New York 10118", "350 5th Ave|New York|NY|10118|US"},
	{"350 5th Ave New York NY 10118", "350 5th Ave|New York|NY|10118|US"},
	{"New York", "|New York|NY||US"},
	{"1600 Pennsylvania Ave NW, Washington, D.C. 20500", "1600 Pennsylvania Ave NW|Washington|DC|20500|US"},
	{"1600 Pennsylvania Ave NW Washington DC 20500", "1600 Pennsylvania Ave NW|Washington|DC|20500|US"},
	{"2 Peachtree St, Atlanta, Georgia", "2 Peachtree St|Atlanta|GA||US"},
	{"10 Loockerman St, Dover, DE", "10 Loockerman St|Dover|DE||US"},
	{"Santa Fe, New Mexico 87505", "|Santa Fe|NM|87505|US"},
	{"15-17 High Street, Bath\nPostcode BA1 5AN", "15-17 High Street|Bath||BA1 5AN|GB"},
	{"Street: 12 Mill St, City: Dayton, State: OH, ZIP: 45402", "12 Mill St|Dayton|OH|45402|US"},
	{"Hafenweg 3, PLZ 68159 Mannheim", "Hafenweg 3|Mannheim||68159|DE"},
	{"40 Innovation Way, Dublin, D02 X285, United States", "40 Innovation Way|Dublin||D02 X285|US"},
	{"9 High Street, London, EC1A 1BB, United States", "9 High Street|London||EC1A 1BB|US"},
	{"100 Gold Ave, Albuquerque, New Mexico", "100 Gold Ave|Albuquerque|NM||US"},
	{"4 Elm St, Boston, MA 2108, USA", "4 Elm St|Boston|MA|02108|US"},
	{"12 Oak Ln, Springfield, Sangamon County, IL 62702", "12 Oak Ln|Springfield|IL|62702|US"},
	{"Los Angeles, CA", "|Los Angeles|CA||US"},
	{"77 Sunset Blvd, Los Angeles, CA, 90028, US", "77 Sunset Blvd|Los Angeles|CA|90028|US"},
	{"25 Calle Sol, San Juan, PR 00901", "25 Calle Sol|San Juan|PR|00901|US"},
	{"Chicago", "|Chicago|IL||US"},
	{"8 Harbor Way, Fort Lauderdale FL 33301", "8 Harbor Way|Fort Lauderdale|FL|33301|US"},
	// United Kingdom
	{"10 Downing Street, London, SW1A 2AA", "10 Downing Street|London||SW1A 2AA|GB"},
	{"10 Downing Street, London SW1A2AA, UK", "10 Downing Street|London||SW1A 2AA|GB"},
	{"10 Downing Street London SW1A 2AA", "10 Downing Street|London||SW1A 2AA|GB"},
	{"Unit 4, Riverside Park, Station Road, Leeds, West Yorkshire, LS1 4DY", "Unit 4, Riverside Park, Station Road|Leeds|West Yorkshire|LS1 4DY|GB"},
	{"5 High Street, Guildford, Surrey GU1 3AA, United Kingdom", "5 High Street|Guildford|Surrey|GU1 3AA|GB"},
	{"1 Princes Street, Edinburgh, Scotland", "1 Princes Street|Edinburgh|Scotland||GB"},
	{"1 Princes Street\nEdinburgh\nEH2 2EQ\nScotland", "1 Princes Street|Edinburgh|Scotland|EH2 2EQ|GB"},
	{"Leeds, England", "|Leeds|England||GB"},
	{"St Albans, Hertfordshire, AL1 3JE", "|St Albans|Hertfordshire|AL1 3JE|GB"},
	{"3 Bridge Street, Guildford, Surrey", "3 Bridge Street|Guildford|Surrey||GB"},
	{"1 The Parade, St Helier, Jersey, JE2 3QQ", "1 The Parade|St Helier||JE2 3QQ|JE"},
	// Canada
	{"100 King St W, Toronto, ON M5X 1A9", "100 King St W|Toronto|ON|M5X 1A9|CA"},
	{"100 King St W Toronto ON M5X1A9 Canada", "100 King St W|Toronto|ON|M5X 1A9|CA"},
	{"100 King St W, Toronto, Ontario, M5X 1A9, Canada", "100 King St W|Toronto|ON|M5X 1A9|CA"},
	{"1000 Rue De La Gauchetière, Montréal (Québec) H3B 4W5", "1000 Rue De La Gauchetière|Montréal|QC|H3B 4W5|CA"},
	{"Vancouver, BC, Canada", "|Vancouver|BC||CA"},
	{"Toronto, ON, CA", "|Toronto|ON||CA"},
	// Other countries
	{"Unter den Linden 1, 10117 Berlin, Germany", "Unter den Linden 1|Berlin||10117|DE"},
	{"10115 Berlin", "|Berlin||10115|DE"},
	{"Marienplatz 1, 80331 München", "Marienplatz 1|München||80331|DE"},
	{"Berlin, DE", "|Berlin|||DE"},
	{"Bahnhofstrasse 10, CH-8001 Zürich, Switzerland", "Bahnhofstrasse 10|Zürich||CH-8001|CH"},
	{"12 Rue de Rivoli, 75001 Paris, France", "12 Rue de Rivoli|Paris||75001|FR"},
	{"12 Rue de France, 06000 Nice", "12 Rue de France|Nice||06000|FR"},
	{"12 rue de la Gare, 44000 Nantes", "12 rue de la Gare|Nantes||44000|FR"},
	{"Industrieweg 9, 3511 AB Utrecht", "Industrieweg 9|Utrecht||3511 AB|NL"},
	{"Industrieweg 9, Utrecht, 3511 AB", "Industrieweg 9|Utrecht||3511 AB|NL"},
	{"Damrak 1, 1012 LG Amsterdam, The Netherlands", "Damrak 1|Amsterdam||1012 LG|NL"},
	{"Level 5, 100 George St, Sydney NSW 2000, Australia", "Level 5, 100 George St|Sydney|NSW|2000|AU"},
	{"100 St Georges Tce, Perth WA 6000", "100 St Georges Tce|Perth|WA|6000|AU"},
	{"1 Chome-1 Marunouchi, Chiyoda-ku, Tokyo 100-0005, Japan", "1 Chome-1 Marunouchi, Chiyoda-ku|Tokyo||100-0005|JP"},
	{"Nora Klein, 555-0142", "Nora Klein, 555-0142||||"}, // the number is not a Japanese postal code
	{"Bandra Kurla Complex, Mumbai, Maharashtra 400051, India", "Bandra Kurla Complex|Mumbai|Maharashtra|400051|IN"},
	{"Av. Paulista 1000, São Paulo, SP, 01310-100, Brazil", "Av. Paulista 1000|São Paulo|SP|01310-100|BR"},
	{"10 Anson Road, Singapore 079903", "10 Anson Road|Singapore||079903|SG"},
	{"2 Grand Canal Square, Dublin 2, D02 A342, Ireland", "2 Grand Canal Square|Dublin 2||D02 A342|IE"},
	{"12 Patrick Street, Cork, Republic of Ireland", "12 Patrick Street|Cork|||IE"},
	{"Tbilisi, Georgia", "|Tbilisi|||GE"},
	{"Paris", "|Paris|||FR"},
	{"London", "|London|||GB"},
	{"Germany", "||||DE"},
	{"U.S.A.", "||||US"},
	{"Texas", "||TX||US"},
	// Empty or unknown
	{"", "||||"},
	{" , ;\n", "||||"},
	{"123 Main St", "123 Main St||||"},
}

func TestParse(t *testing.T) {
	for _, test := range parseTests {
		a := Parse(test.text)
		got := strings.Join([]string{a.Street, a.City, a.State, a.PostalCode, a.CountryISO}, "|")
		if got != test.want {
			t.Errorf("Parse(%q)\n got %s\nwant %s", test.text, got, test.want)
		}
		if _, name, _ := Country(a.CountryISO); name != a.Country {
			t.Errorf("Parse(%q): country %q does not match code %q", test.text, a.Country, a.CountryISO)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, test := range parseTests {
		f.Add(test.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a := Parse(text)
		for _, part := range []string{a.Street, a.City, a.State, a.PostalCode} {
			if len(part) > 2*maxText {
				t.Errorf("got a part of %d bytes, want at most %d", len(part), 2*maxText)
			}
		}
		if (a.Country == "") != (a.CountryISO == "") {
			t.Errorf("got country %q and code %q, want both or neither", a.Country, a.CountryISO)
		}
		Locate(a)
		Complete(a)
		IsStreet(text)
	})
}

func BenchmarkParse(b *testing.B) {
	for _, test := range parseTests {
		Parse(test.text) // loads the tables
	}
	for i := 0; b.Loop(); i++ {
		Parse(parseTests[i%len(parseTests)].text)
	}
}
