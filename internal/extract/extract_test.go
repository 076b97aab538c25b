package extract

import (
	"context"
	"strings"
	"testing"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/field"
)

// understand interprets parts built in a test.
func understand(t *testing.T, parts ...content.Part) *Extraction {
	t.Helper()
	e, err := interpret(context.Background(), parts)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func text(name, body string) content.Part {
	return content.Part{Name: name, Format: content.Text, Blocks: []content.Block{{Text: body, Place: content.Place{Part: name, Line: 1}}}}
}

// sheet builds a part of one table; cells stand between bars.
func sheet(name string, rows ...string) content.Part {
	return content.Part{Name: "book.xlsx", Format: content.XLSX, Blocks: []content.Block{grid(name, rows...)}}
}

func grid(name string, rows ...string) content.Block {
	table := &content.Table{Title: name}
	for i, r := range rows {
		var cells []content.Cell
		for j, c := range strings.Split(r, "|") {
			c = strings.TrimSpace(c)
			cell := content.Cell{Text: c, Ref: content.NamedRef(i+1, j+1)}
			if c == "<" {
				cell.Text, cell.Merged = "", true
			}
			cells = append(cells, cell)
		}
		table.Rows = append(table.Rows, cells)
	}
	return content.Block{Table: table, Place: content.Place{Part: "book.xlsx", Sheet: name}}
}

// stated returns the values of a field, joined.
func stated(values []field.Value, name string) string {
	var found []string
	for _, v := range values {
		if v.Field == name {
			found = append(found, v.Text)
		}
	}
	return strings.Join(found, "; ")
}

func checkStated(t *testing.T, e *Extraction, want map[string]string) {
	t.Helper()
	all := append(append([]field.Value{}, e.Facts...), e.Options...)
	for name, text := range want {
		if got := stated(all, name); got != text {
			t.Errorf("%s = %q, want %q", name, got, text)
		}
	}
	for _, v := range all {
		if v.Score < 0.05 || v.Score > 0.99 || v.Evidence == "" {
			t.Errorf("%s: score %v, evidence %q", v.Field, v.Score, v.Evidence)
		}
	}
}

const brokerMail = `Hi Mark,

Please quote for our client Redwood Timber Products LLC, a sawmill established in 1984 with annual revenue of $42.5M and 130 full-time employees.

Named Insured: Redwood Timber Products LLC dba Redwood Lumber
Mailing Address: 4500 Mill Road
Eugene, OR 97402
FEIN: 93-1234567        NAICS: 321113
Effective Date: 07/01/2026   Expiration Date: 07/01/2027
Current carrier: Evergreen Mutual Insurance Company
Target Premium: $385,000 - $410,000
Lines of Business: Property, Inland Marine
Underwriter: TBA

Has the company ever filed for bankruptcy? No
Does any employee work at airports? [ ] Yes [x] No

Best regards,

Jane Porter
Calder Insurance Brokers, Inc.
1200 Main Street, Suite 400, Denver, CO 80202
T: (303) 555-0144 | jane.porter@calderbrokers.example`

func TestBrokerMail(t *testing.T) {
	part := text("mail.eml", brokerMail)
	part.Format = content.EML
	part.Mail = &content.Mail{
		From: "Jane Porter <jane.porter@calderbrokers.example>", To: "mark@bigcarrier.example",
		Subject: "RE: New Submission - Redwood Timber Products LLC - Property", Date: "Tue, 5 May 2026 10:00:00 -0500",
	}
	part.Blocks = append(part.Blocks, content.Block{Quoted: true, Text: "Effective Date: 06/01/2026\nNamed Insured: Other Timber Inc\nRegards,\nMark Stone\nBig Carrier Insurance Company", Place: content.Place{Part: "mail.eml", Line: 40}})
	e := understand(t, part)
	checkStated(t, e, map[string]string{
		"company_name": "Redwood Timber Products LLC", "dba_aka": "Redwood Lumber", "address": "4500 Mill Road, Eugene, OR 97402",
		"fein": "93-1234567", "primary_naics_2012": "321113", "year_founded": "1984", "annual_revenue": "42,500,000.00",
		"total_full_time_employees": "130", "bankruptcy_indicator": "N", "does_any_employee_works_at_airports": "N",
		"does_any_employee_works_at_docks": "", "phone_number": "", "policy_inception_date": "2026-07-01", "end_date": "2027-07-01",
		"estimated_premium": "385,000.00", "product": "Property; Inland Marine", "underwriter": "", "document_date": "2026-05-05",
		"broker_name": "Calder Insurance Brokers, Inc.", "broker_contact_points": "Jane Porter", "broker_email": "jane.porter@calderbrokers.example",
		"broker_contact_phone": "(303) 555-0144", "broker_address": "1200 Main Street, Suite 400", "broker_city": "Denver",
		"broker_state": "CO", "broker_postal_code": "80202", "risk_country": "US",
	})
}

func TestProposalForm(t *testing.T) {
	e := understand(t, text("proposal.txt", `PROPOSAL FORM

Proposer
Name: Albion Marine Fabrications Limited
Address: Unit 7 Dockside Estate, Southampton, SO14 3XB
Telephone: 023 8055 5123
Company Reg. No: 04567890      VAT No: GB 123 4567 89
ERN: 123/AB456
Turnover (GBP): £18.2m

Broker
Name: Solent Insurance Brokers Ltd
Contact: Peter Marsh
Email: peter@solentbrokers.example
Address: 3 High Street, Portsmouth, PO1 2AB

Period of Insurance: 1st April 2026 to 31st March 2027 both days inclusive
Covers required: Property Damage; Business Interruption (24 months indemnity); Employers Liability GBP 10,000,000
Insurer: Quayside Insurance plc

Do your employees work at or in any of the following?
Docks: Yes
Does any employee work offshore, including oil rigs? No
Do you undertake work in power stations? ☒ Yes ☐ No
`))
	checkStated(t, e, map[string]string{
		"company_name": "Albion Marine Fabrications Limited", "address": "Unit 7 Dockside Estate, Southampton, SO14 3XB", "phone_number": "023 8055 5123",
		"company_number": "04567890", "vat_number": "GB 123 4567 89", "ern_number": "123/AB456", "annual_revenue": "18,200,000.00",
		"broker_name": "Solent Insurance Brokers Ltd", "broker_contact_points": "Peter Marsh", "broker_email": "peter@solentbrokers.example",
		"broker_address": "3 High Street", "broker_city": "Portsmouth", "broker_postal_code": "PO1 2AB",
		"policy_inception_date": "2026-04-01", "end_date": "2027-03-31", "business_interruption_period": "24 months",
		"coverage": "Property Damage; Business Interruption (24 months indemnity); Employers Liability",
		"does_any_employee_works_at_power_stations": "Y", "does_any_employee_works_at_offshore_structures": "N", "risk_country": "GB",
	})
}

func TestFormFields(t *testing.T) {
	block := func(label, value string) content.Block {
		return content.Block{Label: label, Value: value, Place: content.Place{Part: "form.pdf", Page: 1}}
	}
	e := understand(t, content.Part{Name: "form.pdf", Format: content.PDF, Blocks: []content.Block{
		block("F[0].P1[0].NamedInsured_FullName_A[0]", "Prairie Feeds Inc"),
		block("F[0].P1[0].NamedInsured_MailingAddress_LineOne_A[0]", "12 Grain Road"),
		block("F[0].P1[0].NamedInsured_MailingAddress_CityName_A[0]", "Omaha"),
		block("F[0].P1[0].NamedInsured_MailingAddress_StateOrProvinceCode_A[0]", "NE"),
		block("F[0].P1[0].NamedInsured_MailingAddress_PostalCode_A[0]", "68102"),
		block("F[0].P1[0].NamedInsured_FullName_B[0]", "Prairie Holdings"),
		block("F[0].P1[0].Producer_FullName_A[0]", "Midland Agency"),
		block("F[0].P1[0].Policy_EffectiveDate_A[0]", "07/01/2026"),
		block("F[0].P1[0].Policy_Status_QuoteIndicator_A[0]", "1"),
		block("F[0].P1[0].Policy_Status_BoundIndicator_A[0]", "Off"),
		block("F[0].P1[0].Policy_ExpirationDate_A[0]", ""),
	}})
	checkStated(t, e, map[string]string{
		"company_name": "Prairie Feeds Inc", "address": "12 Grain Road, Omaha, NE, 68102", "broker_name": "Midland Agency",
		"policy_inception_date": "2026-07-01", "form_submission_type": "quote", "end_date": "", "dba_aka": "",
	})
}

func TestContactTable(t *testing.T) {
	e := understand(t, sheet("Contacts",
		"Role | Name | Company | Phone | Email",
		"Risk Manager (insured) | Ann Lee | Bayside Stores LLC | (415) 555-0101 | ann@bayside.example",
		"Insurance Broker | Tom Ray | Pier Risk Solutions | (415) 555-0199 | tom@pierrisk.example",
		"Landlord | Bo Ek | Ek Properties | (415) 555-0177 | bo@ek.example"))
	checkStated(t, e, map[string]string{
		"company_name": "Bayside Stores LLC", "contact_name": "Ann Lee", "broker_name": "Pier Risk Solutions",
		"broker_email": "tom@pierrisk.example", "broker_contact_phone": "(415) 555-0199", "broker_contact_points": "Tom Ray",
	})
}

func TestSameTwice(t *testing.T) {
	first := understand(t, text("mail.txt", brokerMail))
	for range 5 {
		again := understand(t, text("mail.txt", brokerMail))
		for i, v := range again.Facts {
			if v != first.Facts[i] {
				t.Fatalf("%v, then %v", first.Facts[i], v)
			}
		}
	}
}

func TestNothing(t *testing.T) {
	e := understand(t, text("note.txt", "Lunch on Friday?\n\nSee you there."))
	if len(e.Facts)+len(e.Options)+len(e.Locations) > 0 {
		t.Errorf("found %v %v %v", e.Facts, e.Options, e.Locations)
	}
}

func TestLongText(t *testing.T) {
	const insured = "Named Insured: Quill and Sons Ltd\n"
	long := insured + strings.Repeat("The roof was renewed in part.\n", layout.MaxSearched/29+1) + "Effective Date: 04/01/2027\n"
	e := understand(t, text("long.txt", long), text("short.txt", "Nothing."))
	checkStated(t, e, map[string]string{"company_name": "Quill and Sons Ltd", "policy_inception_date": ""})
	want := "more than 400000 bytes or 50000 lines of text: the rest was not searched"
	if got := e.Parts[0].Note; got != want {
		t.Errorf("got the note %q, want %q", got, want)
	}
}

func TestThroughReader(t *testing.T) {
	content := "Loc #,Address,City,State,Zip,Building Value\n1,12 Grain Road,Omaha,NE,68102,\"1,500,000\"\n"
	e, err := Extract(context.Background(), "sov.csv", strings.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Parts) != 1 || e.Parts[0].Format != "csv" || len(e.Locations) != 1 {
		t.Fatalf("parts %v, locations %v", e.Parts, e.Locations)
	}
	if got := stated(e.Locations[0], "building_value"); got != "1,500,000.00" {
		t.Errorf("building value %q", got)
	}
}

// TestYearsAndStatesAreNotMistaken checks sentences whose years and abbreviations look like
// the year of foundation and the French word for revenue.
func TestYearsAndStatesAreNotMistaken(t *testing.T) {
	for _, sentence := range []string{
		"The account has been claims free since 2018.", "They are insured with Northfield Mutual since 2019.",
		"Umsatz 2025 noch offen, Budget 2026 folgt.", "Space in North America by state, CA: 125,000 sq ft", "Fresno, CA: 14 staff. North America only.",
	} {
		e := understand(t, text("a.txt", sentence+"\n"))
		for _, name := range []string{"year_founded", "annual_revenue", "estimated_premium"} {
			if got := stated(append(e.Facts, e.Options...), name); got != "" {
				t.Errorf("%q: %s is %q, want none", sentence, name, got)
			}
		}
	}
}

// TestRevenueBelowAnEmptyRow reads a table of revenue by year whose first row has no cells.
func TestRevenueBelowAnEmptyRow(t *testing.T) {
	table := grid("Figures", "| | 2024 | 2025", "Turnover | 21,340,000 | 26,815,000")
	table.Table.Rows = append([][]content.Cell{{}}, table.Table.Rows...)
	e := understand(t, content.Part{Name: "book.xlsx", Format: content.XLSX, Blocks: []content.Block{table}})
	if got := stated(e.Facts, "annual_revenue"); got != "26,815,000.00" {
		t.Errorf("got %q", got)
	}
}
