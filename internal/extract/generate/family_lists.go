package generate

import (
	"fmt"
	"strings"
)

// claimRows returns a table of claims.
func (p *paper) claimRows() [][]any {
	rows := [][]any{cellsOf(strings.Split(one(p.Rand, p.phrasesOf("claim headers")), ";"))}
	causes := strings.Split(p.phrasesOf("causes")[0], ";")
	for i := range 1 + p.IntN(6) {
		paid, reserved := int64(1+p.IntN(500))*50, int64(p.IntN(200))*50
		number := fmt.Sprintf("%s%d-%05d", strings.ToUpper(p.insurer.name[:2]), 21+i, p.IntN(99999))
		day := p.inception.AddDate(-1-i%4, p.IntN(11), p.IntN(25))
		at := 2 * p.IntN(len(causes)/2)
		rows = append(rows, []any{number, p.date(day), causes[at], causes[at+1], paid, reserved, paid + reserved})
		p.option("claim_history", number, number)
		p.not("policy_inception_date", day.Format("2006-01-02"))
	}
	return rows
}

func cellsOf(list []string) (cells []any) {
	for _, text := range list {
		cells = append(cells, text)
	}
	return cells
}

// lossRun makes an insurer's list of claims.
func lossRun(p *paper) (extension, content string) {
	return p.listed("losses heading", p.claimRows())
}

// vehicles makes a schedule of vehicles.
func vehicles(p *paper) (extension, content string) {
	rows := [][]any{cellsOf(strings.Split(one(p.Rand, p.phrasesOf("vehicle headers")), ";"))}
	models := []string{"Ford;Transit", "Freightliner;Cascadia", "Volvo;FH 460", "Mercedes-Benz;Sprinter", "Isuzu;NPR", "Scania;R450", "Chevrolet;Silverado", "Renault;Master"}
	const letters = "ABCDEFGHJKLMNPRSTUVWXYZ0123456789"
	for i := range 2 + p.IntN(10) {
		vin := make([]byte, 17)
		for at := range vin {
			vin[at] = letters[p.IntN(len(letters))]
		}
		maker, model, _ := strings.Cut(one(p.Rand, models), ";")
		rows = append(rows, []any{fmt.Sprint(i + 1), fmt.Sprint(2008 + p.IntN(18)), maker, model, string(vin), int64(18+p.IntN(150)) * 1000, p.sites[0].city})
		p.fact("vehicles", string(vin), string(vin))
	}
	none := 0
	p.truth.Locations.Count = &none
	return p.listed("vehicles heading", rows)
}

// listed writes a list below the insured and the policy period, in one of several formats.
func (p *paper) listed(heading string, rows [][]any) (extension, content string) {
	p.not("company_name", p.insurer.name)
	top := []entry{p.entry("company_name")}
	title := p.insurer.name + " - " + p.phrase(heading)
	if p.chance(50) {
		p.add(block{heading: title}, block{entries: top}, block{rows: texts(rows)})
		switch p.IntN(3) {
		case 0:
			return "txt", p.plainText()
		case 1:
			return "html", p.webPage()
		}
		return "pdf", p.pdfPage("lines")
	}
	sheetRows := [][]any{{title}}
	for _, e := range top {
		sheetRows = append(sheetRows, []any{e.label, e.value})
	}
	return p.rowsFile(append(append(sheetRows, []any{}), rows...), p.phrase(heading))
}
