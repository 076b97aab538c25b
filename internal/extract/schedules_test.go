package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/document/content"
	"understudy.example/internal/field"
)

// lists returns the entries of all lists in the extraction, one a line.
func lists(e *Extraction) string {
	var out strings.Builder
	write := func(values []field.Value, prefix string) {
		for _, v := range values {
			if field.EntryFields(v.Field) != nil {
				fmt.Fprintf(&out, "%s%s %s\n", prefix, v.Field, v.Text)
			}
		}
	}
	write(e.Facts, "")
	write(e.Options, "")
	for i, location := range e.Locations {
		write(location, fmt.Sprintf("location %d: ", i+1))
	}
	return strings.TrimSpace(out.String())
}

// textLines returns the text of a document as blocks of one line.
func textLines(t string) []content.Block {
	var blocks []content.Block
	for i, l := range strings.Split(strings.TrimSpace(t), "\n") {
		blocks = append(blocks, content.Block{Text: l, Place: content.Place{Part: "a.txt", Line: i + 1}})
	}
	return blocks
}

type listCase struct {
	name   string
	blocks []content.Block
	want   string
}

func checkLists(t *testing.T, cases []listCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e := understand(t, content.Part{Name: "a.txt", Format: content.Text, Blocks: c.blocks})
			if diff := cmp.Diff(strings.TrimSpace(strings.ReplaceAll(c.want, "\t", "")), lists(e)); diff != "" {
				t.Errorf("lists (- want, + got):\n%s", diff)
			}
			for _, v := range append(e.Facts, e.Options...) {
				if v.Evidence == "" || v.Score <= 0 || v.Score > 0.99 {
					t.Errorf("%s has the evidence %q and the score %v", v.Field, v.Evidence, v.Score)
				}
			}
		})
	}
}

// TestVehicles checks schedules of vehicles in several layouts and languages.
func TestVehicles(t *testing.T) {
	checkLists(t, []listCase{
		{
			"one header",
			[]content.Block{grid("Vehicles",
				"Unit # | Yr | Make | Model | V.I.N. | Body Style | Original Cost New | Garaging City | St | Zip",
				"1 | 2019 | Ford | F-150 | 1FTEW1E50KFA00001 | Pickup | $41,200 | Omaha | NE | 68102",
				"2 | 2021 | Kenworth | T680 | 1XKYD49X0MJ000002 | Tractor | $152,000.00 | Lincoln | NE | 68508",
				"3 | 2020 | Wabash | Duraplate | 1JJV532D0LL000003 | Trailer | TBD | Lincoln | NE | 68508",
				" | Total | | | | | $193,200 | | | ")},
			`vehicles {"year":"2019","make":"Ford","model":"F-150","vin":"1FTEW1E50KFA00001","body_type":"Pickup","cost_new":"41,200.00","garaging_address":"Omaha, NE 68102"}
			vehicles {"year":"2021","make":"Kenworth","model":"T680","vin":"1XKYD49X0MJ000002","body_type":"Tractor","cost_new":"152,000.00","garaging_address":"Lincoln, NE 68508"}
			vehicles {"year":"2020","make":"Wabash","model":"Duraplate","vin":"1JJV532D0LL000003","body_type":"Trailer","garaging_address":"Lincoln, NE 68508"}`,
		},
		{
			"two-line header, repeated",
			[]content.Block{grid("",
				"Vehicle | Vehicle | Manu- | Serial Number | Cost",
				"Year | Make | Model | VIN | New",
				"2018 | Isuzu | NPR | 54DC4W1B0JS800001 | 48,000",
				"Vehicle | Vehicle | Manu- | Serial Number | Cost",
				"Year | Make | Model | VIN | New",
				"2017 | Hino | 268A | 5PVNJ8JV0H4S00002 | 61,500")},
			`vehicles {"year":"2018","make":"Isuzu","model":"NPR","vin":"54DC4W1B0JS800001","cost_new":"48,000.00"}
			vehicles {"year":"2017","make":"Hino","model":"268A","vin":"5PVNJ8JV0H4S00002","cost_new":"61,500.00"}`,
		},
		{
			"year, make and model in one column", textLines("Fleet schedule\nUnit\tYear/Make/Model\tVIN\tStated Amount\n1\t2016 Land Rover Defender\tSALLDVAF0GA000001\t$30,000\n2\t2022 Mercedes-Benz Sprinter\tW1Y4ECHY0NT000002\t$52,000"),
			`vehicles {"year":"2016","make":"Land Rover","model":"Defender","vin":"SALLDVAF0GA000001"}
			vehicles {"year":"2022","make":"Mercedes-Benz","model":"Sprinter","vin":"W1Y4ECHY0NT000002"}`,
		},
		{
			"transposed",
			[]content.Block{grid("",
				" | Vehicle 1 | Vehicle 2", "Year | 2015 | 2016", "Make | Ford | GMC", "Model | E-350 | Savana",
				"VIN | 1FDWE3FL0FDA00001 | 1GTW7AFF0G1000002", "Cost new | $31,000 | $33,500")},
			`vehicles {"year":"2015","make":"Ford","model":"E-350","vin":"1FDWE3FL0FDA00001","cost_new":"31,000.00"}
			vehicles {"year":"2016","make":"GMC","model":"Savana","vin":"1GTW7AFF0G1000002","cost_new":"33,500.00"}`,
		},
		{
			"blocks of labels", textLines("Vehicle 1\nYear: 2019\nMake: Ford\nModel: Transit\nVIN: 1FTYR1YM0KKA00001\nGaraged at: 4 Dock Road, Portland, ME 04101\n\nVehicle 2\nYear: 2020  Make: Ram  Model: ProMaster\nVIN: 3C6TRVAG0LE000002"),
			`vehicles {"year":"2019","make":"Ford","model":"Transit","vin":"1FTYR1YM0KKA00001","garaging_address":"4 Dock Road, Portland, ME 04101"}
			vehicles {"year":"2020","make":"Ram","model":"ProMaster","vin":"3C6TRVAG0LE000002"}`,
		},
		{
			"one line each", textLines("Vehicles:\n- Year: 2019, Make: Ford, Model: Transit, VIN: 1FTYR1YM0KKA00001\n- Year: 2020, Make: Ram, Model: ProMaster, VIN: 3C6TRVAG0LE000002"),
			`vehicles {"year":"2019","make":"Ford","model":"Transit","vin":"1FTYR1YM0KKA00001"}
			vehicles {"year":"2020","make":"Ram","model":"ProMaster","vin":"3C6TRVAG0LE000002"}`,
		},
		{
			"markdown", textLines("## Motor fleet\n\n| Reg No | Make & Model | Year of manufacture | Vehicle type |\n|---|---|---|---|\n| AB12 CDE | Ford Transit Custom | 2019 | Panel van |\n| XY68 ZZZ | Vauxhall Vivaro | 2018 | Panel van |"),
			`vehicles {"year":"2019","make":"Ford","model":"Transit Custom","body_type":"Panel van"}
			vehicles {"year":"2018","make":"Vauxhall","model":"Vivaro","body_type":"Panel van"}`,
		},
		{
			"German",
			[]content.Block{grid("Fuhrpark",
				"Lfd. Nr. | Kennzeichen | Hersteller | Modell | Fahrgestellnummer | Baujahr | Fahrzeugart | Neuwert (EUR) | Standort",
				"1 | M-AB 123 | MAN | TGX 18.510 | WMA06XZZ0KM000001 | 2019 | Sattelzugmaschine | 112.500,00 | 80331 München",
				"2 | M-AB 124 | Krone | SDP 27 | WKESDP270L0000002 | 2020 | Auflieger | 31.000,00 | 80331 München",
				"Summe | | | | | | | 143.500,00 | ")},
			`vehicles {"year":"2019","make":"MAN","model":"TGX 18.510","vin":"WMA06XZZ0KM000001","body_type":"Sattelzugmaschine","cost_new":"112,500.00","garaging_address":"80331 München"}
			vehicles {"year":"2020","make":"Krone","model":"SDP 27","vin":"WKESDP270L0000002","body_type":"Auflieger","cost_new":"31,000.00","garaging_address":"80331 München"}`,
		},
		{
			"French",
			[]content.Block{grid("État de parc",
				"Immatriculation | Marque | Modèle | Genre | Date de 1ère mise en circulation | Valeur à neuf",
				"AB-123-CD | Renault | Master | Utilitaire | 12/03/2019 | 34 500 €")},
			`vehicles {"make":"Renault","model":"Master","body_type":"Utilitaire","cost_new":"34,500.00"}`,
		},
		{
			"Spanish",
			[]content.Block{grid("Flota de vehículos", "Matrícula | Marca | Modelo | Bastidor | Año", "1234 BCD | Seat | León | VSSZZZ5F0KR000001 | 2019")},
			`vehicles {"year":"2019","make":"Seat","model":"León","vin":"VSSZZZ5F0KR000001"}`,
		},
		{
			"Dutch",
			[]content.Block{grid("Wagenparklijst", "Kenteken | Merk | Type | Chassisnummer | Bouwjaar | Cataloguswaarde", "V-123-BB | DAF | XF 480 | XLRTE47M0LE000001 | 2020 | € 98.000")},
			`vehicles {"year":"2020","make":"DAF","vin":"XLRTE47M0LE000001","body_type":"XF 480","cost_new":"98,000.00"}`,
		},
		{
			"columns of spaces", textLines("AUTO FLEET LISTING\n\n#   Model Yr  Mfr           Model           VIN #              Orig. Cost  Garaged\n1   2018      Freightliner Cascadia         3AKJHHDR5JSJA0001  $128,500    Tulsa, OK\n2   2021      Chevrolet     Silverado 2500  1GC1YLE71MF100002              Tulsa, OK\n\nTOTAL                                                          $128,500"),
			`vehicles {"year":"2021","make":"Chevrolet","model":"Silverado 2500","vin":"1GC1YLE71MF100002","garaging_address":"Tulsa, OK"}`,
		},
		{
			"lines of a mail", textLines("Please add:\n2019 Ford F-150, VIN 1FTEW1E50KFA00001\n- 2021 Mercedes-Benz Sprinter 2500 (VIN: W1Y4ECHY0NT000002)"),
			`vehicles {"year":"2019","make":"Ford","model":"F-150","vin":"1FTEW1E50KFA00001"}
			vehicles {"year":"2021","make":"Mercedes-Benz","model":"Sprinter 2500","vin":"W1Y4ECHY0NT000002"}`,
		},
		{
			"side by side",
			[]content.Block{grid("Vehicles", "Year | Make | Model | VIN | Year | Make | Model | VIN", "2019 | Ford | F-150 | 1FTEW1E50KFA00001 | 2020 | Ram | 1500 | 1C6RR7LT0LS000002")},
			`vehicles {"year":"2019","make":"Ford","model":"F-150","vin":"1FTEW1E50KFA00001"}
			vehicles {"year":"2020","make":"Ram","model":"1500","vin":"1C6RR7LT0LS000002"}`,
		},
		{
			"next page",
			[]content.Block{grid("", "Year | Make | Model | VIN | Cost new", "2019 | Ford | F-150 | 1FTEW1E50KFA00001 | 40,000"), grid("", "2020 | Ram | 1500 | 1C6RR7LT0LS000002 | 45,000", "2021 | Ram | 2500 | 3C6UR5DL5MG500002 | 50,000")},
			`vehicles {"year":"2019","make":"Ford","model":"F-150","vin":"1FTEW1E50KFA00001","cost_new":"40,000.00"}
			vehicles {"year":"2020","make":"Ram","model":"1500","vin":"1C6RR7LT0LS000002","cost_new":"45,000.00"}
			vehicles {"year":"2021","make":"Ram","model":"2500","vin":"3C6UR5DL5MG500002","cost_new":"50,000.00"}`,
		},
		{"equipment", []content.Block{grid("Contractors equipment", "Item | Year | Make | Model | Serial Number | Value", "1 | 2015 | Caterpillar | 320 | ZBN00001 | 120,000")}, ""},
		{"statement of values", []content.Block{grid("SOV", "Loc # | Address | City | State | Zip | Year Built | Building Value | Contents",
			"1 | 12 Grain Road | Omaha | NE | 68102 | 1987 | 1,500,000 | 200,000", "2 | 9 Mill Road | Omaha | NE | 68104 | 2004 | 500,000 | 10,000")}, ""},
		{"computers", []content.Block{grid("Assets", "Asset tag | Make | Model | Year | Operating system", "A1 | Dell | R740 | 2019 | Linux")}, ""},
	})
}

// TestClaims checks loss runs and histories of claims.
func TestClaims(t *testing.T) {
	checkLists(t, []listCase{
		{
			"loss run",
			[]content.Block{grid("Loss Run",
				"Carrier: Northfield Mutual | Policy Number: GL-445512 | Line of Business: General Liability",
				"Claim # | Date of Loss | Date Reported | Claimant | Status | Loss Description | Total Paid | O/S Reserve | Total Incurred",
				"C-1001 | 03/14/2022 | 03/18/2022 | J. Doe | Closed | Slip and fall | $12,500.00 | $0.00 | $12,500.00",
				"C-1002 | 07/02/2023 | 07/05/2023 | A. Roe | Open | Damaged fence | $1,000 | $4,000 | $5,000",
				"Totals | | | | | 2 claims | $13,500 | $4,000 | $17,500")},
			`claim_history {"policy_number":"GL-445512","carrier":"Northfield Mutual","line_of_business":"General Liability","claim_number":"C-1001","date_of_loss":"2022-03-14","date_reported":"2022-03-18","status":"Closed","description":"Slip and fall","paid":"12,500.00","reserved":"0.00","incurred":"12,500.00"}
			claim_history {"policy_number":"GL-445512","carrier":"Northfield Mutual","line_of_business":"General Liability","claim_number":"C-1002","date_of_loss":"2023-07-02","date_reported":"2023-07-05","status":"Open","description":"Damaged fence","paid":"1,000.00","reserved":"4,000.00","incurred":"5,000.00"}`,
		},
		{
			"grouped header, parts",
			[]content.Block{grid("WC loss run",
				"Claim No | Accident Date | Status | Paid | Paid | Reserve | Reserve | Incurred",
				" | | | Indemnity | Medical | Indemnity | Medical | ",
				"77-1 | 1/5/2024 | O | 1,200 | 800 | 500 | 0 | 2,500")},
			`claim_history {"claim_number":"77-1","date_of_loss":"2024-01-05","status":"O","paid":"2,000.00","reserved":"500.00","incurred":"2,500.00"}`,
		},
		{"clean", textLines("Policy Year\tClaim No.\tDate of Loss\tClaim Type\tStatus\tTotal Incurred\tPaid\n2022\tNone\t—\t—\t—\t$0\t$0\n2023\tNone\t—\t—\t—\t$0\t$0"), ""},
		{
			"ACORD 125 table",
			[]content.Block{{Text: "LOSS HISTORY"}, grid("",
				"DATE OF OCCURRENCE | LINE | TYPE / DESCRIPTION OF OCCURRENCE OR CLAIM | DATE OF CLAIM | AMOUNT PAID | AMOUNT RESERVED | SUBROGATION Y / N | CLAIM OPEN Y / N",
				"02/11/2021 | Auto | Rear-end collision | 02/12/2021 | 8,400 | 0 | N | N")},
			`claim_history {"line_of_business":"Auto","date_of_loss":"2021-02-11","date_reported":"2021-02-12","status":"Closed","description":"Rear-end collision","paid":"8,400.00","reserved":"0.00"}`,
		},
		{
			"UK prose table",
			[]content.Block{{Text: "Claims experience (last five years)"}, grid("", "Date | Description | Paid | Outstanding | Status", "14/03/2021 | Escape of water | £12,450 | £0 | Settled", "None since | | | | ")},
			`claim_history {"date_of_loss":"2021-03-14","status":"Settled","description":"Escape of water","paid":"12,450.00","reserved":"0.00"}`,
		},
		{
			"blocks", textLines("Claim 1\nClaim number: A-1\nDate of loss: 5 March 2023\nCause of loss: Fire\nAmount paid: $20,000\nReserve: $1,500\nStatus: Open\n\nClaim 2\nClaim number: A-2\nDate of loss: 6 March 2024\nAmount paid: $0\nStatus: Closed"),
			`claim_history {"claim_number":"A-1","date_of_loss":"2023-03-05","status":"Open","description":"Fire","paid":"20,000.00","reserved":"1,500.00"}
			claim_history {"claim_number":"A-2","date_of_loss":"2024-03-06","status":"Closed","paid":"0.00"}`,
		},
		{
			"German",
			[]content.Block{grid("Schadenverlauf", "Schaden-Nr. | Schadentag | Meldedatum | Sparte | Schadenursache | Zahlungen | Reserve | Schadenaufwand | Status",
				"S-2021-1 | 11.02.2021 | 14.02.2021 | Haftpflicht | Leitungswasser | 3.200,50 € | 0,00 € | 3.200,50 € | erledigt", "Gesamt | | | | | 3.200,50 € | | | ")},
			`claim_history {"line_of_business":"Haftpflicht","claim_number":"S-2021-1","date_of_loss":"2021-02-11","date_reported":"2021-02-14","status":"erledigt","description":"Leitungswasser","paid":"3,200.50","reserved":"0.00","incurred":"3,200.50"}`,
		},
		{
			"French",
			[]content.Block{grid("Relevé de sinistralité", "N° de sinistre | Date de survenance | Nature du sinistre | Règlements | Provisions | Coût total | État",
				"2022-77 | 03/05/2022 | Dégât des eaux | 4 500,00 € | 1 000,00 € | 5 500,00 € | Ouvert")},
			`claim_history {"claim_number":"2022-77","date_of_loss":"2022-05-03","status":"Ouvert","description":"Dégât des eaux","paid":"4,500.00","reserved":"1,000.00","incurred":"5,500.00"}`,
		},
		{
			"Spanish",
			[]content.Block{grid("Siniestralidad", "Nº de siniestro | Fecha de ocurrencia | Causa | Pagado | Reserva | Estado", "S-9 | 15/04/2022 | Robo | 1.500,00 € | 0,00 € | Cerrado")},
			`claim_history {"claim_number":"S-9","date_of_loss":"2022-04-15","status":"Cerrado","description":"Robo","paid":"1,500.00","reserved":"0.00"}`,
		},
		{
			"Dutch",
			[]content.Block{grid("Schadeoverzicht", "Schadenummer | Schadedatum | Omschrijving | Betaald | Gereserveerd | Status", "D-5 | 21-06-2023 | Brand keuken | € 7.000 | € 500 | Open")},
			`claim_history {"claim_number":"D-5","date_of_loss":"2023-06-21","status":"Open","description":"Brand keuken","paid":"7,000.00","reserved":"500.00"}`,
		},
		{
			"abbreviations",
			[]content.Block{grid("", "Pol Eff | Policy # | Claim # | Claimant | Loss Dt | Rptd Dt | Sts | Indemnity Pd | Expense Pd | O/S Res | Paid Date | Total Inc", "04/01/2024 | WC-2 | 24-0107 | Lopez, M | 09/02/2024 | 09/03/2024 | O | 8,100.00 | 950.00 | 15,000.00 | 10/01/2024 | 24,050.00")},
			`claim_history {"policy_number":"WC-2","claim_number":"24-0107","date_of_loss":"2024-09-02","date_reported":"2024-09-03","status":"O","paid":"9,050.00","reserved":"15,000.00","incurred":"24,050.00"}`,
		},
		{"premium payments", []content.Block{grid("Payments", "Due date | Description | Amount | Paid | Status", "04/01/2025 | First installment | 5,000 | 5,000 | Paid")}, ""},
		{"summary by year", []content.Block{{Text: "Claims summary"}, grid("", "Policy year | Number of claims | Paid | Reserved | Incurred", "2023 | 4 | 10,000 | 5,000 | 15,000")}, ""},
		{"invoices", []content.Block{grid("", "Invoice number | Date | Outstanding | Paid", "I-1 | 01/02/2024 | 500 | 200")}, ""},
	})
}

// TestEmployees checks schedules of employees by class.
func TestEmployees(t *testing.T) {
	checkLists(t, []listCase{
		{
			"ACORD 130",
			[]content.Block{grid("State rating", "Loc # | Class Code | Descr Code | Categories, Duties, Classifications | # Full Time | # Part Time | SIC | NAICS | Estimated Annual Remuneration/Payroll | Rate",
				"1 | 8810 | | Clerical office employees | 4 | 1 | | | $210,000 | 0.25", "1 | 5403 | | Carpentry NOC | 12 | | | | $640,000 | 9.10", " | Total | | | | | | | 850,000 | ")},
			`employees {"class_code":"8810","class_description":"Clerical office employees","number_of_employees":"5","estimated_annual_payroll":"210,000.00"}
			employees {"class_code":"5403","class_description":"Carpentry NOC","number_of_employees":"12","estimated_annual_payroll":"640,000.00"}`,
		},
		{
			"with states",
			[]content.Block{grid("", "State | NCCI code | Classification | Headcount | Est. payroll", "IL | 2003 | Bakery | 14 | 512,300")},
			`employees {"class_code":"2003","class_description":"Bakery","state":"IL","number_of_employees":"14","estimated_annual_payroll":"512,300.00"}`,
		},
		{
			"UK wageroll", textLines("Employers' liability\nCategory of employee\tNumber of employees\tAnnual wageroll\nClerical\t4\t£120,000\nManual\t20\t£560,000\nTotal\t24\t£680,000"),
			`employees {"class_description":"Clerical","number_of_employees":"4","estimated_annual_payroll":"120,000.00"}
			employees {"class_description":"Manual","number_of_employees":"20","estimated_annual_payroll":"560,000.00"}`,
		},
		{"German", []content.Block{grid("", "Tätigkeit | Anzahl Mitarbeiter | Jahreslohnsumme", "Bäcker | 12 | 430.000 €")}, `employees {"class_description":"Bäcker","number_of_employees":"12","estimated_annual_payroll":"430,000.00"}`},
		{"French", []content.Block{grid("", "Catégorie de personnel | Effectif | Masse salariale annuelle", "Ouvriers | 8 | 240 000 €")}, `employees {"class_description":"Ouvriers","number_of_employees":"8","estimated_annual_payroll":"240,000.00"}`},
		{"Spanish", []content.Block{grid("", "Categoría profesional | Nº de empleados | Masa salarial anual", "Panaderos | 6 | 150.000 €")}, `employees {"class_description":"Panaderos","number_of_employees":"6","estimated_annual_payroll":"150,000.00"}`},
		{"Dutch", []content.Block{grid("", "Functie | Aantal werknemers | Loonsom", "Bakkers | 5 | € 175.000")}, `employees {"class_description":"Bakkers","number_of_employees":"5","estimated_annual_payroll":"175,000.00"}`},
		{"hazards of general liability", []content.Block{grid("", "Loc | Class code | Classification | Premium basis | Exposure | Rate", "1 | 13049 | Bakeries | Gross sales | 1,200,000 | 2.1")}, ""},
		{"revenue by year", []content.Block{grid("", "Year | Employees | Payroll | Revenue", "2023 | 40 | 1,200,000 | 5,000,000", "2024 | 42 | 1,300,000 | 5,500,000")}, ""},
	})
}

// TestExistingInsurance checks lists of earlier and current policies.
func TestExistingInsurance(t *testing.T) {
	checkLists(t, []listCase{
		{
			"prior carriers",
			[]content.Block{{Text: "PRIOR CARRIER INFORMATION"}, grid("", "Line of Business | Carrier | Policy Number | Eff. Date | Exp. Date | Premium",
				"General Liability | Northfield Mutual | GL-1 | 4/1/2024 | 4/1/2025 | $12,500", "Property | Northfield Mutual | CP-2 | 4/1/2024 | 4/1/2025 | $30,100")},
			`existing_insurance {"type":"General Liability","policy_number":"GL-1","policy_effective_date":"2024-04-01","policy_expiry_date":"2025-04-01","premium":"12,500.00"}
			existing_insurance {"type":"Property","policy_number":"CP-2","policy_effective_date":"2024-04-01","policy_expiry_date":"2025-04-01","premium":"30,100.00"}`,
		},
		{
			"ACORD 125 grid",
			[]content.Block{{Text: "PRIOR CARRIER INFORMATION"}, grid("", "YEAR | CATEGORY | GENERAL LIABILITY | AUTOMOBILE | PROPERTY | OTHER:",
				" | CARRIER | Northfield Mutual | Quill Auto | | ", " | POLICY NUMBER | GL-1 | BA-7 | | ", " | PREMIUM | $ 4,200 | $ 9,000 | $ | $", " | EFFECTIVE DATE | 01/01/2024 | 01/01/2024 | | ", " | EXPIRATION DATE | 01/01/2025 | 01/01/2025 | | ")},
			`existing_insurance {"type":"GENERAL LIABILITY","policy_number":"GL-1","policy_effective_date":"2024-01-01","policy_expiry_date":"2025-01-01","premium":"4,200.00"}
			existing_insurance {"type":"AUTOMOBILE","policy_number":"BA-7","policy_effective_date":"2024-01-01","policy_expiry_date":"2025-01-01","premium":"9,000.00"}`,
		},
		{
			"periods", textLines("Insurance history\nInsurer | Type of cover | Policy no. | Period of insurance | Annual premium\nQuill plc | Property Owners | PO/77 | 01/04/2024 to 31/03/2025 | £8,250"),
			`existing_insurance {"type":"Property Owners","policy_number":"PO/77","policy_effective_date":"2024-04-01","policy_expiry_date":"2025-03-31","premium":"8,250.00"}`,
		},
		{
			"labels", textLines("CURRENT POLICY INFORMATION\nCurrent policy number: CYB-24-1\nCurrent carrier: Quill\nCurrent expiration: 2024-12-31\nPolicy type: Cyber Liability\n\nCOVERAGE REQUIREMENTS\nEffective date: 2025-01-01"),
			`existing_insurance {"type":"Cyber Liability","policy_number":"CYB-24-1","policy_expiry_date":"2024-12-31"}`,
		},
		{
			"German",
			[]content.Block{grid("Vorversicherungen", "Sparte | Versicherer | Versicherungsschein-Nr. | Beginn | Ablauf | Jahresprämie", "Haftpflicht | Muster AG | V-1 | 01.01.2022 | 01.01.2025 | 2.400,00 €")},
			`existing_insurance {"type":"Haftpflicht","policy_number":"V-1","policy_effective_date":"2022-01-01","policy_expiry_date":"2025-01-01","premium":"2,400.00"}`,
		},
		{
			"French",
			[]content.Block{grid("Assurances en cours", "Type de contrat | Assureur | N° de police | Échéance | Prime annuelle", "RC Pro | Exemple SA | P-2 | 31/12/2025 | 3 100 €")},
			`existing_insurance {"type":"RC Pro","policy_number":"P-2","policy_expiry_date":"2025-12-31","premium":"3,100.00"}`,
		},
		{
			"Dutch",
			[]content.Block{grid("Lopende verzekeringen", "Soort verzekering | Verzekeraar | Polisnummer | Ingangsdatum | Jaarpremie", "Brand | Voorbeeld NV | P-3 | 01-07-2023 | € 1.200")},
			`existing_insurance {"type":"Brand","policy_number":"P-3","policy_effective_date":"2023-07-01","premium":"1,200.00"}`,
		},
		{"the policy itself", textLines("Policy Number: BOP-1\nEffective: 03/01/2025\nExpiration: 03/01/2026\nPremium: $5,000\nCarrier: Northfield Mutual"), ""},
		{"quotes", []content.Block{grid("Market responses", "Carrier | Quoted premium | Effective date | Status", "Northfield | 12,000 | 4/1/2025 | Declined")}, ""},
		{"layers", []content.Block{grid("", "LOB | PolNumber | PolInceptionDate | PolExpiryDate | LayerNumber | LayerLimit", "Property | P1 | 2024-01-01 | 2024-12-31 | 1 | 5000000")}, ""},
	})
}

// TestAdditionalInterests checks additional interests of the company and of locations.
func TestAdditionalInterests(t *testing.T) {
	checkLists(t, []listCase{
		{
			"lines below a heading", textLines("Additional insureds:\nCity of Dayton, 101 W Third St, Dayton, OH 45402"),
			`additional_interest {"party_name":"City of Dayton","party_address":"101 W Third St, Dayton, OH 45402"}
			additional_insureds {"address":"101 W Third St, Dayton, OH 45402"}`,
		},
		{
			"name and address on two lines", textLines("Additional Insureds\n1. City of Dayton\n   101 W Third St, Dayton, OH 45402\n2. County Fairgrounds, 6550 S Jefferson Blvd, Dayton, OH 45417\n\nPremium: $5,000"),
			`additional_interest {"party_name":"City of Dayton","party_address":"101 W Third St, Dayton, OH 45402"}
			additional_insureds {"address":"101 W Third St, Dayton, OH 45402"}
			additional_interest {"party_name":"County Fairgrounds","party_address":"6550 S Jefferson Blvd, Dayton, OH 45417"}
			additional_insureds {"address":"6550 S Jefferson Blvd, Dayton, OH 45417"}`,
		},
	})
	sov := grid("SOV", "Loc # | Address | City | State | Zip | Building Value | Contents", "1 | 12 Grain Road | Omaha | NE | 68102 | 1,500,000 | 200,000", "2 | 9 Mill Road | Omaha | NE | 68104 | 500,000 | 10,000")
	checkLists(t, []listCase{
		{
			"schedule",
			[]content.Block{sov, grid("Additional Interests", "Interest | Name | Address | Rank | Loan # | Location | Item description",
				"Mortgagee | First Prairie Bank | 1 Bank Plaza, Omaha, NE 68102 | 1 | 55-120 | 2 | Building", "Additional Insured | City of Omaha | 1819 Farnam Street, Omaha, NE 68183 | | | | ")},
			`additional_interest {"party_name":"First Prairie Bank","party_address":"1 Bank Plaza, Omaha, NE 68102"}
			additional_interest {"party_name":"City of Omaha","party_address":"1819 Farnam Street, Omaha, NE 68183"}
			additional_insureds {"address":"1819 Farnam Street, Omaha, NE 68183"}
			location 2: interest_in_location {"interest":"Mortgagee","party_name":"First Prairie Bank","party_address":"1 Bank Plaza, Omaha, NE 68102","rank":"1","loan_number":"55-120","interest_in_item_details":"Building"}`,
		},
		{
			"labels", textLines("Location 1: 12 Grain Road, Omaha, NE 68102\nBuilding value: $500,000\n\nMortgagee: First Prairie Bank, 1 Bank Plaza, Omaha, NE 68102\nLoan number: 55-120\nAdditional insured: None\nLoss payee: Yes"),
			`additional_interest {"party_name":"First Prairie Bank","party_address":"1 Bank Plaza, Omaha, NE 68102"}
			location 1: interest_in_location {"interest":"Mortgagee","party_name":"First Prairie Bank","party_address":"1 Bank Plaza, Omaha, NE 68102","loan_number":"55-120"}`,
		},
		{
			"column of a statement of values",
			[]content.Block{grid("SOV", "Loc # | Address | City | State | Zip | Mortgagee | Loan Number | Building Value", "1 | 12 Grain Road | Omaha | NE | 68102 | Prairie State Bank | 88-1 | 1,500,000", "2 | 9 Mill Road | Omaha | NE | 68104 | None | | 500,000")},
			`location 1: interest_in_location {"interest":"Mortgagee","party_name":"Prairie State Bank","loan_number":"88-1"}`,
		},
		{
			"name and address",
			[]content.Block{grid("Additional insureds", "Name and address | Interest", "Harbour Leasing Inc, 5 Dock Road, Portland, ME 04101 | Lessor")},
			`additional_interest {"party_name":"Harbour Leasing Inc","party_address":"5 Dock Road, Portland, ME 04101"}`,
		},
		{"contacts", []content.Block{grid("Contacts", "Name | Role | Address | Email", "Jo Farr | Broker | 1 High Street, London | jo@broker.example")}, ""},
	})
}

// TestACORDFields checks the fields of ACORD forms by their names.
func TestACORDFields(t *testing.T) {
	form := func(pairs ...string) (blocks []content.Block) {
		for i := 0; i < len(pairs); i += 2 {
			blocks = append(blocks, content.Block{Label: "F[0].P1[0]." + pairs[i] + "[0]", Value: pairs[i+1], Place: content.Place{Part: "acord.pdf", Page: 1}})
		}
		return blocks
	}
	checkLists(t, []listCase{
		{
			"127", form("Vehicle_ModelYear_A", "2019", "Vehicle_ManufacturersName_A", "Ford", "Vehicle_ModelName_A", "F-350", "Vehicle_VINIdentifier_A", "1FT8W3BT0KEC00001", "Vehicle_CostNewAmount_A", "61,000",
				"Vehicle_PhysicalAddress_LineOne_A", "4 Dock Road", "Vehicle_PhysicalAddress_CityName_A", "Portland", "Vehicle_PhysicalAddress_StateOrProvinceCode_A", "ME", "Vehicle_RadiusOfUse_A", "50",
				"Vehicle_ModelYear_B", "2020", "Vehicle_VINIdentifier_B", "1FT8W3BT0LEC00002"),
			`vehicles {"year":"2019","make":"Ford","model":"F-350","vin":"1FT8W3BT0KEC00001","cost_new":"61,000.00","garaging_address":"4 Dock Road, Portland, ME"}
			vehicles {"year":"2020","vin":"1FT8W3BT0LEC00002"}`,
		},
		{
			"125", form("PriorCoverage_PolicyYear_A", "2024", "PriorCoverage_GeneralLiability_InsurerFullName_A", "Northfield Mutual", "PriorCoverage_GeneralLiability_PolicyNumberIdentifier_A", "GL-1",
				"PriorCoverage_GeneralLiability_TotalPremiumAmount_A", "4,200", "PriorCoverage_GeneralLiability_EffectiveDate_A", "01/01/2024", "PriorCoverage_Property_PolicyNumberIdentifier_A", "",
				"LossHistory_OccurrenceDate_A", "03/14/2024", "LossHistory_LineOfBusiness_A", "GL", "LossHistory_OccurrenceDescription_A", "Slip and fall", "LossHistory_PaidAmount_A", "12,000", "LossHistory_ClaimStatus_OpenCode_A", "N",
				"LossHistory_ClaimStatus_OpenCode_B", "N",
				"AdditionalInterest_FullName_A", "First Prairie Bank", "AdditionalInterest_Interest_MortgageeIndicator_A", "1", "AdditionalInterest_Interest_LossPayeeIndicator_A", "Off", "AdditionalInterest_MailingAddress_LineOne_A", "1 Bank Plaza",
				"AdditionalInterest_MailingAddress_CityName_A", "Omaha"),
			`existing_insurance {"type":"General Liability","policy_number":"GL-1","policy_effective_date":"2024-01-01","year":"2024","premium":"4,200.00"}
			additional_interest {"party_name":"First Prairie Bank","party_address":"1 Bank Plaza, Omaha"}
			claim_history {"line_of_business":"GL","date_of_loss":"2024-03-14","status":"Closed","description":"Slip and fall","paid":"12,000.00"}`,
		},
		{
			"130", form("WorkersCompensation_RateClass_ClassificationCode_A", "8810", "WorkersCompensation_RateClass_DutiesDescription_A", "Clerical", "WorkersCompensation_RateClass_FullTimeEmployeeCount_A", "4", "WorkersCompensation_RateClass_RemunerationAmount_A", "$210,000"),
			`employees {"class_code":"8810","class_description":"Clerical","number_of_employees":"4","estimated_annual_payroll":"210,000.00"}`,
		},
		{"blank", form("Vehicle_ModelYear_A", "", "LossHistory_PaidAmount_A", ""), ""},
	})
}

// TestSingleValuesOfLists checks deductibles, covered auto symbols, numbers of employees,
// and what follows from the lists.
func TestSingleValuesOfLists(t *testing.T) {
	for name, c := range map[string]struct {
		blocks []content.Block
		want   map[string]string
	}{
		"labels": {
			textLines("Comprehensive deductible: $500\nCollision Deductible: $1,000\nWind/hail deductible: 2%\nExcess liability: $5,000,000\nNon-owned auto liability - number of employees: 7\nRetro date: 04/01/2019\nWorkers compensation payroll: $850,000"),
			map[string]string{"deductible": "Comprehensive: 500.00; Collision: 1,000.00", "business_auto_non_owned_liability_employees": "7", "retroactive_date": "2019-04-01", "workers_comp_estimated_annual_payroll": "850,000.00"},
		},
		"table": {
			[]content.Block{grid("", "Coverage | Covered Auto Symbols | Limit | Deductible", "Liability | 1 | $1,000,000 | ", "Medical Payments | 2, 8 | $5,000 | ", "Comprehensive | 7 | ACV | $500", "Uninsured Motorists | 6 | | ")},
			map[string]string{"liability_covered_auto_symbols": "1", "medical_payments_covered_auto_symbols": "2; 8", "comprehensive_covered_auto_symbols": "7", "collision_covered_auto_symbols": "", "deductible": "Comprehensive: 500.00"},
		},
		"symbols in lines": {textLines("Liability: Symbols 7, 8 and 9\nCollision (Symbol 7)\nTowing: covered at symbol 3"), map[string]string{"liability_covered_auto_symbols": "7; 8; 9"}},
		"conflicts":        {textLines("Building deductible: $500\nContents deductible: $250\nBuilding deductible: $1,000"), map[string]string{"deductible": "Contents: 250.00"}},
		"excess":           {[]content.Block{grid("", "Cover Type | Sum Insured | Excess", "Property Damage | £8,750,000 | £5,000", "Business Interruption | £3,200,000 | 72 hours")}, map[string]string{"deductible": "Property Damage: 5,000.00"}},
		"languages":        {textLines("Selbstbehalt: 1.000 EUR\nFranchise: 500 €\nDate de rétroactivité: 01/04/2019"), map[string]string{"deductible": "Selbstbehalt: 1,000.00; Franchise: 500.00", "retroactive_date": "2019-04-01"}},
		"derived": {[]content.Block{
			grid("", "Year | Make | Model | VIN | Body", "2019 | Ford | F-150 | 1FTEW1E50KFA00001 | Pickup", "2020 | Utility | 3000R | 1UYVS253XLU000002 | Semi-trailer"),
			grid("", "Class code | Classification | Payroll", "8810 | Clerical | 100,000", "5403 | Carpentry | 250,000"),
		}, map[string]string{field.PowerUnits: "1", "workers_comp_estimated_annual_payroll": "350,000.00"}},
		"stated": {append(textLines("Number of vehicles: 9"), grid("", "Year | Make | Model | VIN", "2019 | Ford | F-150 | 1FTEW1E50KFA00001")), map[string]string{field.PowerUnits: "9"}},
	} {
		t.Run(name, func(t *testing.T) {
			e := understand(t, content.Part{Name: "a.txt", Format: content.Text, Blocks: c.blocks})
			got := map[string]string{}
			for name := range c.want {
				got[name] = stated(append(e.Facts, e.Options...), name)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(- want, + got):\n%s", diff)
			}
		})
	}
}

// TestListsAreLimited checks the limits of entries and of the text of a value.
func TestListsAreLimited(t *testing.T) {
	rows := []string{"Year | Make | Model | VIN"}
	for i := range 10_050 {
		rows = append(rows, fmt.Sprintf("2019 | Ford | %s | 1FTEW1E5%09d", strings.Repeat("x", i%2*79+1), i))
	}
	rows[1] = "2019 | Ford | F-150 | 1FTEW1E50KFA00001 | " + strings.Repeat("x", 10_000)
	e := understand(t, content.Part{Name: "a.txt", Format: content.Text, Blocks: []content.Block{grid("", rows...)}})
	n := 0
	for _, v := range e.Facts {
		if v.Field == "vehicles" {
			n++
		}
	}
	if n != 10_000 {
		t.Errorf("%d vehicles, want 10,000", n)
	}
	long := strings.Repeat("very long ", 1000)
	e = understand(t, content.Part{Name: "a.txt", Format: content.Text, Blocks: []content.Block{grid("", "Claim number | Date of loss | Description | Paid", "C-1 | 03/14/2024 | "+long+" | $5")}})
	if claim := stated(e.Options, "claim_history"); len(claim) < 300 || len(claim) > 500 {
		t.Errorf("the claim has %d bytes", len(claim))
	}
}
