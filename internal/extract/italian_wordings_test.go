package extract_test

import "testing"

// TestItalianWordings checks the labels, headers and sentences of Italian documents. A wanted or unwanted value is written
// as field=value.
func TestItalianWordings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file, text string
		want, unwanted   []string
	}{
		{
			"labels of a proposal", "a.txt", `
Contraente: Larice Ceramiche S.r.l.
Sede legale: Via dei Tigli 14, 36100 Vicenza (VI)
Anno di costituzione: 1981
Fatturato 2026: € 7.350.000
Numero addetti: 38
Decorrenza: 31/12/2026
Scadenza: 31/12/2027
Garanzie: Incendio, furto, acqua condotta
Compagnia attuale: Abete Assicurazioni S.p.A.
Premio in corso: € 19.800
Premio obiettivo: € 17.500
Periodo di indennizzo: 12 mesi
`,
			[]string{
				"company_name=Larice Ceramiche S.r.l.", "year_founded=1981", "annual_revenue=7,350,000.00",
				"total_full_time_employees=38", "policy_inception_date=2026-12-31", "end_date=2027-12-31", "coverage=furto",
				"coverage=acqua condotta", "estimated_premium=17,500.00",
				"business_interruption_period=12 months", "risk_country=IT",
			},
			[]string{"estimated_premium=19,800.00"},
		},
		{
			"headers of a statement of values", "a.csv", `
Contraente;Larice Imballaggi S.r.l.;;;;;;
N.;Indirizzo;CAP;Comune;Tipologia costruttiva;Impianto sprinkler;Valore fabbricato;Merci
1;Via del Lavoro 8;35127;Padova;Cemento armato;sì;2.400.000;380.000
2;Viale Europa 31;35010;Limena;Muratura;no;950.000;140.000
`,
			[]string{
				"1.location_address=Via del Lavoro 8", "1.location_city=Padova", "1.location_postal_code=35127",
				"1.construction_type=Cemento armato", "1.location_have_sprinklers=Y", "1.building_value=2,400,000.00",
				"2.stock_tiv=140,000.00", "2.location_have_sprinklers=N",
			},
			nil,
		},
		{
			"the answers of a questionnaire", "a.txt", `
QUESTIONARIO RC PROFESSIONALE

1. Denominazione dello studio / Contraente
    Studio Associato Ingg. Larice e Pino
2. Sede legale (via, CAP, città, provincia)
    Via del Faggio 12 - 35121 Padova (PD)
3. Fatturato degli ultimi tre esercizi (euro)
    2026: 918.400,00 - 2025: 874.150,00 - 2024: 803.900,00
4. Avete oggi una polizza? Con chi e a quale premio?
    Sì, Assicurazioni Abete S.p.A., scadenza 31/12/2026, premio annuo lordo 7.420,00 euro
5. Decorrenza e scadenza richieste
    dalle ore 24 del 31/12/2026 alle ore 24 del 31/12/2027
6. Premio obiettivo
    6.300,00 euro lordi
`,
			[]string{
				"company_name=Studio Associato Ingg. Larice e Pino", "address=Via del Faggio 12, 35121 Padova", "annual_revenue=918,400.00",
				"policy_inception_date=2026-12-31", "end_date=2027-12-31", "estimated_premium=6,300.00",
			},
			[]string{"product=PD"},
		},
		{
			"since when a firm produces", "a.txt", `
Chiediamo una quotazione per il cliente Larice Imballaggi S.r.l., azienda che produce scatole dal 1979, con 31 dipendenti.`,
			[]string{"company_name=Larice Imballaggi S.r.l.", "year_founded=1979", "total_full_time_employees=31"},
			nil,
		},
		{
			"since when a firm is a client", "a.txt", `
Chiediamo una quotazione per Larice Imballaggi S.r.l., nostra cliente dal 2015, con 31 dipendenti.`,
			[]string{"company_name=Larice Imballaggi S.r.l."},
			[]string{"year_founded"},
		},
		{
			"a mail with a list of locations and of covers", "a.txt", `
Contraente: Larice Mobili S.p.A.

Ubicazioni:
1) Stabilimento di Viale dell'Industria 18, 20831 Seregno (MB): fabbricato € 7.100.000, macchinario € 3.900.000, merci € 1.800.000, costruzione in cemento armato, impianto sprinkler presente
2) Magazzino di Via dei Pini 7, 20833 Giussano (MB): fabbricato € 1.650.000, merci € 1.150.000, muratura, senza sprinkler

Garanzie richieste:
- Incendio
- Fenomeno elettrico
Attualmente assicurati con Compagnia Abete di Assicurazioni, premio € 33.400.
Il premio obiettivo è di € 29.500 lordi annui.
`,
			[]string{
				"1.location_address=Viale dell'Industria 18", "1.building_value=7,100,000.00", "1.location_have_sprinklers=Y",
				"2.location_address=Via dei Pini 7", "2.location_have_sprinklers=N", "2.stock_tiv=1,150,000.00",
				"coverage=Incendio", "coverage=Fenomeno elettrico", "estimated_premium=29,500.00",
			},
			[]string{"coverage=Attualmente assicurati con Compagnia Abete di Assicurazioni, premio"},
		},
		{
			"since when a firm trades is not when a building was built", "a.txt", `
SCHEDA RISCHIO - RESPONSABILITA' CIVILE TERZI

Ragione sociale:        Larice Costruzioni S.r.l.
Indirizzo:              Via dei Tigli, 12/A
CAP - Comune - Prov.:   41121 Modena (MO)
Attività:               Costruzione di edifici residenziali
Anno inizio attività:   2004
Fatturato preventivo 2027:  € 6.100.000,00
Fatturato consuntivo 2026:  € 5.730.000,00
`,
			[]string{"year_founded=2004", "annual_revenue=5,730,000.00", "product=Responsabilita' Civile Terzi"},
			[]string{"1.location_address"},
		},
		{
			"a broker that asks for the insured", "a.txt", `
Denominazione: Panificio Larice di Rossi Mario & C. S.a.s.
Sede: P.zza Matteotti 3 - 24047 Treviglio (BG)
Dipendenti: 9

Richiedente: Agenzia Broker Ontano S.r.l. - Giulia Sala, tel. 035 555 0122
`,
			[]string{"company_name=Panificio Larice di Rossi Mario & C. S.a.s.", "broker_name=Agenzia Broker Ontano S.r.l."},
			nil,
		},
		{
			"a telephone number behind an address in a signature", "a.eml", `From: Sara Pini <s.pini@ontanobroker.example>
To: quotazioni@compagnia.example
Subject: Rinnovo Cyber - Larice Software S.r.l.

Ci serve quotazione per il rinnovo della polizza Cyber.

Un saluto
Sara

Sara Pini | Account Manager
Ontano Broker S.p.A. | Corso Porta Nuova 50, 37122 Verona | T. 045 555 0122
`,
			[]string{"company_name=Larice Software S.r.l.", "broker_name=Ontano Broker S.p.A.", "broker_address=Corso Porta Nuova 50", "broker_city=Verona"},
			[]string{"broker_state"},
		},
		{
			"a cooperative", "a.txt", `
MODULO DI PROPOSTA POLIZZA TRASPORTI MERCI

Proponente/Contraente ....... Ortofrutta Larice Soc. Coop. Agricola
Domicilio ................... S.S. 16 km 712, 70043 Monopoli (BA)
Data di costituzione ........ 14/02/1988
Fatturato 2025 .............. 18,2 mln €
Fatturato 2026 .............. 19,6 mln €
Garanzia .................... pieno rischio, furto, guasto impianto frigorifero
Premio annuo desiderato ..... € 14.200
Premio attuale .............. € 16.050
`,
			[]string{
				"company_name=Ortofrutta Larice Soc. Coop. Agricola", "year_founded=1988", "annual_revenue=19,600,000.00",
				"product=Trasporti Merci", "coverage=guasto impianto frigorifero", "estimated_premium=14,200.00",
			},
			nil,
		},
		{
			"the table of a portal below the insured's details", "a.html", `
<h3>Anagrafica</h3>
<table><tr><td>Ragione Sociale</td><td>Albergo Larice S.a.s.</td></tr><tr><td>Indirizzo</td><td>Lungomare Colombo 12</td></tr>
<tr><td>Cap</td><td>47921</td></tr><tr><td>Comune</td><td>Rimini</td></tr><tr><td>Anno fondazione</td><td>1958</td></tr></table>
<h3>Rischio</h3>
<table><tr><th>Ubicazione rischio</th><th>Tipologia fabbricato</th><th>Anno costr.</th><th>N. piani</th><th>Fabbricato</th><th>Contenuto</th></tr>
<tr><td>Lungomare Colombo 12, 47921 Rimini</td><td>Cemento armato</td><td>1963</td><td>6</td><td>4.100.000,00</td><td>730.000,00</td></tr></table>`,
			[]string{
				"company_name=Albergo Larice S.a.s.", "year_founded=1958", "1.location_address=Lungomare Colombo 12", "1.construction_type=Cemento armato",
				"1.year_built=1963", "1.building_value=4,100,000.00", "1.contents_tiv=730,000.00",
			},
			[]string{"2.location_address"},
		},
		{
			"a letter", "a.txt", `
Oggetto: richiesta di quotazione RC Professionale – Larice Ingegneria S.r.l.

Buongiorno,

chiediamo la vostra migliore quotazione per il cliente in oggetto, società con 21 dipendenti e un fatturato 2026 di euro 3.180.000. La polizza avrà decorrenza dal 1° marzo 2027. Premio obiettivo: euro 6.400.

Cordiali saluti
Marta Pini
Ontano Broker S.r.l.
Tel. 049 555 01 22
`,
			[]string{
				"company_name=Larice Ingegneria S.r.l.", "annual_revenue=3,180,000.00", "policy_inception_date=2027-03-01",
				"estimated_premium=6,400.00", "broker_name=Ontano Broker S.r.l.",
			},
			nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantValues(t, test.file, test.text, test.want, test.unwanted)
		})
	}
}
