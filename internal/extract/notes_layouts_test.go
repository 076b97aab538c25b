package extract_test

import "testing"

// TestNotesLayouts checks values in brokers' notes, portals and panels: lists of covers below headings in plain words,
// premiums in loose sentences, and details side by side.
func TestNotesLayouts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file, text string
		want, unwanted   []string
	}{
		{
			"a package with its covers, with the currency in a column of its own", "a.txt", `
CLIENT          Larch's Bakery (Athy) Limited
T/O             EUR 1,940,000 (last accounts)

WHAT THEY WANT
  Retail Shop Package from 17/02/2027 to 16/02/2028
  Buildings                 EUR   680,000
  Contents                  EUR   145,000
  Stock (incl. flour)       EUR   140,000
  Business Interruption     EUR   600,000   12 months
  Employers Liability       EUR 13,000,000
  Public/Products Liability EUR  6,500,000
  Excess EUR 500

PRESENT COVER   Alder Insurance, paying 6,120 this year. Wants us
                to get it to 5,500 or less, told her 5,500 was doable.
`,
			[]string{
				"annual_revenue=1,940,000.00", "product=Retail Shop Package", "coverage=Buildings", "coverage=Employers Liability", "coverage=Public/Products Liability",
				"business_interruption_period=12 months", "estimated_premium=5,500.00", "policy_inception_date=2027-02-17",
			},
			[]string{"product=Property"},
		},
		{
			"panels side by side", "a.txt", `
Seguro Multirriesgo Empresarial

TOMADOR / ASEGURADO                                  DATOS DEL SEGURO
Razón social: Alerce Azulejos, S.A.                  Fecha de efecto: 15/02/2027
Domicilio: Polígono Industrial Norte, parcela 4      Vencimiento: 15/02/2028
C.P. y población: 12006 Borriol                      Prima objetivo: 32.000 €
Provincia: Castellón                                 Prima actual: 37.230,18 €

SITUACIÓN DEL RIESGO                                 GARANTÍAS SOLICITADAS
Construcción: Estructura de hormigón                 1: Incendio, rayo y explosión
Superficie: 4.200 m2                                 2: Daños por agua
Rociadores: No                                       3: Robo
Continente: 5.900.000 €                              4: Responsabilidad civil
`,
			[]string{
				"coverage=Incendio, rayo y explosión", "coverage=Daños por agua", "coverage=Robo", "state=Castellón", "1.building_value=5,900,000.00",
				"1.construction_type=Estructura de hormigón", "company_name=Alerce Azulejos, S.A.", "estimated_premium=32,000.00",
			},
			nil,
		},
		{
			"needs below a heading in French", "a.txt", `
Client : Mélèze Imprimerie SARL

Les besoins

Multirisque industrielle : incendie, dégât des eaux, vol

Pertes d'exploitation sur 18 mois, marge brute 2 900 000 €

Responsabilité civile exploitation et après livraison 3 000 000 €`,
			[]string{"coverage=Multirisque industrielle", "coverage=Pertes d'exploitation"},
			nil,
		},
		{
			"modules in one line", "a.txt", `
Firmenname: Lärche Messtechnik GmbH
Produkt: D&O Premium
Bausteine: Organhaftpflicht, Strafrechtsschutz, Anstellungsvertragsrechtsschutz`,
			[]string{"coverage=Organhaftpflicht", "coverage=Strafrechtsschutz"},
			nil,
		},
		{
			"a province after a town", "a.csv", `
Asegurado,Alerce Conservas S.L.
Domicilio social,"Avenida del Faro 27, 39740 Santoña (Cantabria)"
Dirección,Localidad,Provincia,CP,Continente
Avenida del Faro 27,Santoña,Cantabria,39740,6100000
Polígono Norte 9,Castro Urdiales,Cantabria,39700,1950000
`,
			[]string{"address=Avenida del Faro 27, 39740 Santoña (Cantabria)", "risk_country=ES", "1.location_country=ES"},
			nil,
		},
		{
			"the dates of a building site", "a.txt", `
Insured: Larch Constructions Pty Ltd. Start on site 1 February 2027, practical completion 31 March 2028, then 12 months defects liability.`,
			[]string{"policy_inception_date=2027-02-01", "end_date=2028-03-31"},
			nil,
		},
		{
			"the term of a project", "a.csv", `
First Named Insured,"Larch Bend Partners, LP"
Project term,"January 11, 2027 to May 11, 2028 (16 months)"
`,
			[]string{"policy_inception_date=2027-01-11", "end_date=2028-05-11"},
			nil,
		},
		{
			"a date before the words that name it", "a.txt", `
Please see the information on Larch Supply, Inc. for a March 1, 2027 effective date (12 month term).`,
			[]string{"policy_inception_date=2027-03-01"},
			nil,
		},
		{
			"an inception date without a label, one year before the end date", "a.txt", `
Re: Larch Parks, Inc. – $10,000,000 Umbrella – January 31, 2027

Dear Ada:

We are seeking $10 million for the annual term ending January 31, 2028.`,
			[]string{"policy_inception_date=2027-01-31", "end_date=2028-01-31"},
			nil,
		},
		{
			"lines of business that are marked with an X in two columns", "a.csv", `
LINES OF BUSINESS,INDICATE LINES OF BUSINESS,PREMIUM,,,
X COMMERCIAL PROPERTY,"$ 9,840",,X,COMMERCIAL GENERAL LIABILITY,"$ 6,215"
CRIME,$,,,BUSINESS AUTO,$
X EQUIPMENT FLOATER,"$ 1,190",,,UMBRELLA,$
`,
			[]string{"coverage=COMMERCIAL PROPERTY", "coverage=COMMERCIAL GENERAL LIABILITY", "coverage=EQUIPMENT FLOATER"},
			[]string{"coverage=CRIME", "coverage=UMBRELLA", "coverage=X COMMERCIAL PROPERTY"},
		},
		{
			"a package with the name of its document", "a.txt", `
PLACEMENT SLIP

Business Insurance Package

The Insured: Larch Smallgoods Pty Ltd

Sections required
Public & Products Liability $20,000,000
Theft
Machinery Breakdown`,
			[]string{"product=Business Insurance Package"},
			[]string{"product=General Liability"},
		},
		{
			"a limit after the name of a cover, and a Dutch line of business", "a.txt", `
Betreft: offerteaanvraag goederentransportverzekering Bloemen De Lariks B.V.

Gevraagde dekking:
 * Goederentransport all risks, maximaal € 250.000 per zending
 * Opslag in eigen hal, maximaal € 1.500.000

Als richtpremie is € 19.750 met de klant besproken.`,
			[]string{"product=Goederentransportverzekering", "estimated_premium=19,750.00"},
			nil,
		},
		{
			"a cover with an extension in brackets", "a.txt", `
Contraente: Pastificio Larice S.r.l.
Garanzie: All Risks Property con eventi catastrofali (terremoto e alluvione sottolimite 50%), Danni indiretti, Ricorso terzi Euro 1.000.000.`,
			[]string{"coverage=All Risks Property con eventi catastrofali", "coverage=Danni indiretti", "coverage=Ricorso terzi"},
			nil,
		},
		{
			"an indemnity period for all locations", "a.csv", `
Insured:,Larch Ceramics Limited,,

,Site 1,Site 2,Total
Address,1 Potters Lane,2 Dunston Road,
Town,Gateshead,Gateshead,
Postcode,NE11 0ZZ,NE11 9ZA,
Buildings,"£4,850,000","£2,260,000","£7,110,000"
BI - gross profit,"£5,400,000","£2,600,000","£8,000,000"
Indemnity period,18 months,18 months,
`,
			[]string{"business_interruption_period=18 months", "2.building_value=2,260,000.00"},
			nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantValues(t, test.file, test.text, test.want, test.unwanted)
		})
	}
}
