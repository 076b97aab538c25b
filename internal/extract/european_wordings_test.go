package extract_test

import "testing"

// TestEuropeanWordings checks values in documents in German, French, Spanish, Italian and Dutch. A wanted or unwanted value is
// written as field=value.
func TestEuropeanWordings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file, text string
		want, unwanted   []string
	}{
		{
			"underlined headings", "a.txt", `
Kunde
-----
Kanzlei:       Lerche Fink Rechtsanwaltsgesellschaft mbH
Straße:        Lindenstraße 12
PLZ/Ort:       34117 Kassel

Wunsch
------
Beginn:        01.03.2027
Prämienziel:   7.200 € netto im Jahr

Bisher
------
Jahresprämie:  8.350,00 €

Einreichender Makler
--------------------
Firma:         Erlenhof Versicherungsmakler GmbH
Bearbeiterin:  Jana Holt
Rückruf:       0561 55501-22
`,
			[]string{
				"company_name=Lerche Fink Rechtsanwaltsgesellschaft mbH", "address=Lindenstraße 12, 34117 Kassel", "estimated_premium=7,200.00",
				"broker_name=Erlenhof Versicherungsmakler GmbH", "broker_contact_phone=0561 55501-22",
			},
			nil,
		},
		{
			"an elided article in a street", "a.txt", `
Le souscripteur
Mélèze Logistique SAS, 14 rue de l’Industrie, 69800 Saint-Priest
Activité : entreposage`,
			[]string{"company_name=Mélèze Logistique SAS", "address=14 rue de l’Industrie, 69800 Saint-Priest"},
			nil,
		},
		{
			"a dash between a street and its town", "a.txt", `
CUESTIONARIO

1. Tomador
    Alerce Muebles, S.L.
2. Domicilio social (calle, código postal, población)
    Calle del Roble 47 - 50012 Zaragoza
3. Año de constitución
    1987
`,
			[]string{"address=Calle del Roble 47, 50012 Zaragoza", "year_founded=1987"},
			nil,
		},
		{
			"a Spanish letter", "a.txt", `
Estimados compañeros:

Necesitamos oferta de póliza flotante para nuestro cliente Naranjas del Alerce, S.A.T., con domicilio en Carretera de la Ermita km 7, 46450 Benifaió. Se fundó en 1987 y trabajan 64 personas.

Prima que buscamos: 18.400 € anuales

Quedo a vuestra disposición.

Lucía Pardo
Agrobroker Alerce, S.L.
Tfno. 96 555 01 22
lpardo@agrobrokeralerce.example
`,
			[]string{
				"company_name=Naranjas del Alerce, S.A.T.", "address=Carretera de la Ermita km 7, 46450 Benifaió", "year_founded=1987",
				"estimated_premium=18,400.00", "broker_name=Agrobroker Alerce, S.L.", "broker_contact_phone=96 555 01 22",
			},
			nil,
		},
		{
			"the year before in brackets, and two dates in one line", "a.txt", `
Raison sociale : Mélèze Biscuits SA
Chiffre d’affaires HT 2026 : 9 450 000 € (2025 : 9 120 000 €)
Prise d’effet : 1er avril 2027 – échéance : 31 mars 2028
`,
			[]string{"annual_revenue=9,450,000.00", "policy_inception_date=2027-04-01", "end_date=2028-03-31"},
			nil,
		},
		{
			"a location with a street without such a word", "a.csv", `
Versicherungsnehmer;Lerche Kühlhaus GmbH
Straße, Hausnummer;Am Hang 5
PLZ;24937
Ort;Flensburg
Risikoort;
Straße, Hausnummer;Lärchenring 31
PLZ;24983
Ort;Handewitt
Baujahr;2011
Bauart;massiv
Versicherungssumme Gebäude;6.150.000 €
Versicherungssumme Inhalt;2.100.000 €
`,
			[]string{"1.location_address=Lärchenring 31", "1.location_city=Handewitt", "1.building_value=6,150,000.00", "1.construction_type=massiv"},
			[]string{"2.location_address"},
		},
		{
			"two questions in a line", "a.txt", "Versicherungsnehmer: Lerche Kühlhaus GmbH\n\nRisikoort\nAm Hang 5, 24937 Flensburg\nBauart: massiv\n" +
				"Sprinkleranlage vorhanden?\tja\tX\tnein\tBrandmeldeanlage?\tX\tja\tnein\nGebäude: 6.150.000 €\nInhalt: 2.100.000 €\n",
			[]string{"1.location_have_sprinklers=N", "1.building_value=6,150,000.00"},
			nil,
		},
		{
			"an answer above a heading", "a.txt", `
Versicherungsnehmer: Lerche Kühlhaus GmbH

Risikoort
Straße, Hausnummer: Gewerbestraße 31
PLZ: 24983
Ort: Handewitt
Sprinkleranlage vorhanden? nein

Beantragter Versicherungsschutz
Gebäude: 6.150.000 €
Inhalt: 2.100.000 €
`,
			[]string{"1.location_have_sprinklers=N", "1.building_value=6,150,000.00"},
			nil,
		},
		{
			"the title of a list of buildings", "a.csv", `
Standortliste zur Gebäudeversicherung;;;;
Versicherungsnehmer:;Lerche Wohnbau eG;;;
Nr.;Straße;PLZ;Ort;Gebäudeneuwert EUR
1;Am Hang 5;68161;Mannheim;5.120.000
2;Lärchenweg 9;68219;Mannheim;8.340.000
`,
			[]string{"product=Gebäudeversicherung", "company_name=Lerche Wohnbau eG"},
			nil,
		},
		{
			"a label for each year", "a.txt", `
Versicherungsnehmer: Lerche Möbel GmbH
Umsatz 2025:  5.480.000,00 €
Umsatz 2026:  5.950.000,00 €
Geplanter Umsatz 2027:  6.400.000,00 €
`,
			[]string{"annual_revenue=5,950,000.00"},
			nil,
		},
		{
			"a row for each year", "a.csv", `
Tomador;Alerce Muebles, S.L.
Ventas 2025;4.310.000 €
Ventas 2026;4.720.000 €
`,
			[]string{"annual_revenue=4,720,000.00"},
			nil,
		},
		{
			"covers before a name in a subject", "a.eml", `From: Tom Kwak <tom@kwakassurantie.example>
To: acceptatie@wilgverzekeringen.example
Subject: Offerteaanvraag Brand/Inventaris Bakkerij Lariks BV per 1-9-2027

Beste collega,

Voor onze relatie zoeken wij een brandverzekering. Het bedrijf bestaat sinds 1974, 26 mensen in dienst.

Met vriendelijke groet,
Tom Kwak
`,
			[]string{"company_name=Bakkerij Lariks BV", "policy_inception_date=2027-09-01", "total_full_time_employees=26"},
			[]string{"product=Wij Een Brandverzekering"},
		},
		{
			"the proposer's address and business are no location", "a.txt", `
Proposant
  Dénomination ............ Atelier Mélèze SARL
  Adresse ................. ZI des Prés, 6 rue Ampère - 57000 METZ
  Activité ................ menuiserie, agencement
  Effectif ................ 18
`,
			[]string{"company_name=Atelier Mélèze SARL", "total_full_time_employees=18"},
			[]string{"1.location_address"},
		},
		{
			"a building at the proposer's address, which stands in several labels", "a.txt", `
Nombre o razón social: Ferretería Alerce, S.L.U.
Dirección: Calle Mayor, nº 23, bajo
Municipio: Tudela          Provincia: Navarra        C.P.: 31500

Tipo de construcción: hormigón
Continente: 780.000 €     Contenido: 240.000 €
`,
			[]string{"1.location_city=Tudela", "1.building_value=780,000.00", "risk_country=ES"},
			nil,
		},
		{
			"typographic apostrophes, and a French closing", "a.txt", `
Madame, Monsieur,

Nous vous consultons pour notre client Mélèze Papiers SAS, fabricant de papier.

Garanties : incendie, pertes d’exploitation
Prime souhaitée : 12 400 € TTC

Dans l’attente de votre proposition, nous vous prions d’agréer nos salutations distinguées.

Maud Bouleau
Chargée de clientèle entreprises
05 55 55 01 22 – m.bouleau@aulne-courtage.example
`,
			[]string{"company_name=Mélèze Papiers SAS", "coverage=pertes d’exploitation", "broker_contact_points=Maud Bouleau", "broker_contact_phone=05 55 55 01 22"},
			nil,
		},
		{
			"an address with a Swiss postal code in a sentence", "a.txt", `
Unsere Mandantin, die Feinmechanik Lerche AG, Seestrasse 16, 6460 Altdorf UR, beschäftigt 84 Vollzeitangestellte.`,
			[]string{"company_name=Feinmechanik Lerche AG", "address=Seestrasse 16, 6460 Altdorf UR"},
			nil,
		},
		{
			"abbreviated furniture and equipment", "a.csv", `
Versicherungsnehmer;Lerche Weberei GmbH;;;
Versicherungsort;Bauart;Gebäude;Betriebseinr.;Vorräte
Kölner Straße 3, 51789 Lindlar;massiv;5.120.000 €;6.300.000 €;1.110.000 €
Am Hang 9, 51789 Lindlar;Stahl;1.430.000 €;390.000 €;1.870.000 €
`,
			[]string{"1.contents_tiv=6,300,000.00", "2.contents_tiv=390,000.00"},
			nil,
		},
		{
			"the word for a firm before its name", "a.txt", `
Guten Tag Frau Huber,

für die Firma Lerche Druckerei GmbH, Seestraße 12, 4600 Wels, ersuchen wir um ein Offert.`,
			[]string{"company_name=Lerche Druckerei GmbH", "address=Seestraße 12, 4600 Wels"},
			nil,
		},
		{
			"a postal code and its town in one label", "a.txt", `
Verzekeringnemer   : Timmerfabriek Lariks B.V.
Adres              : Houtweg 3
Postcode/plaats    : 8011 AB Zwolle

Gebouwen           : EUR 2.800.000
Inventaris         : EUR 1.350.000
`,
			[]string{"address=Houtweg 3, 8011 AB Zwolle", "1.location_postal_code=8011 AB", "1.location_city=Zwolle", "1.building_value=2,800,000.00"},
			nil,
		},
		{
			"the number of a file is no telephone number", "a.txt", `
Portale Broker - Richiesta quotazione n. 2027/0815

Ragione sociale: Albergo Larice S.a.s.`,
			[]string{"company_name=Albergo Larice S.a.s."},
			[]string{"broker_contact_phone", "phone_number"},
		},
		{
			"dates with dots have no times", "a.txt", `
Versicherungsnehmer: Lerche Holzbau GmbH
Beginn: 01.03.2027, 0:00 Uhr
Ablauf: 01.03.2028
`,
			[]string{"policy_inception_date=2027-03-01", "end_date=2028-03-01", "policy_inception_effective_time=0:00"},
			[]string{"policy_end_time"},
		},
		{
			"a premium in a German sentence", "a.txt", `
Für unseren Mandanten Lerche Metallbau GmbH bitten wir um Ihr Angebot. Jahresbeitrag zuletzt 5.310 EUR. Unsere Beitragsvorstellung liegt bei 4.700 EUR netto.`,
			[]string{"estimated_premium=4,700.00"},
			nil,
		},
		{
			"a premium in a Dutch sentence", "a.txt", `
Verzekeringnemer is Lariks Bloemen B.V. De lopende verzekering: jaarpremie € 12.100. Qua premie moeten we op ongeveer € 10.400 per jaar uitkomen.`,
			[]string{"estimated_premium=10,400.00"},
			nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantValues(t, test.file, test.text, test.want, test.unwanted)
		})
	}
}
