package generate

import "strings"

// form adds the pages of an insurer's form, filled in.
func (p *paper) form() {
	p.text(p.insurer.name + "\n" + p.oneLine(p.insurer) + "  " + p.insurer.phone)
	p.not("broker_name", p.insurer.name)
	p.not("company_name", p.insurer.name)
	p.add(block{heading: p.phrase("form")})
	groups := []func(){
		func() {
			p.add(block{heading: p.phrase("insured heading"), entries: nil}, block{entries: p.insuredEntries()})
		},
		func() {
			p.add(block{heading: p.phrase("policy heading")}, block{entries: p.policyEntries()})
		},
		func() {
			p.add(block{heading: strings.TrimRight(p.phrase("covers heading"), ": ")}, block{items: p.checklist()})
		},
		func() {
			p.add(block{heading: p.phrase("prior heading")}, block{entries: p.priorEntries()})
		},
		func() {
			p.add(block{heading: p.phrase("broker heading")}, block{entries: p.brokerEntries()})
		},
	}
	if p.chance(25) { // the broker first, as on many American forms
		groups = append([]func(){groups[4]}, groups[:4]...)
	}
	for _, add := range groups {
		add()
	}
	p.text(p.phrase("declaration"))
	p.not("company_name", p.insured.person())
}

// boxes makes a form whose boxes hold a small label above a value.
func boxes(p *paper) (extension, content string) {
	p.form()
	if p.chance(40) {
		return "docx", p.wordPage(true)
	}
	return "pdf", p.pdfPage("boxes")
}

// lines makes a form with a label and a value in each line.
func lines(p *paper) (extension, content string) {
	p.form()
	switch p.IntN(4) {
	case 0:
		return "txt", p.plainText()
	case 1:
		return "html", p.webPage()
	case 2:
		return "docx", p.wordPage(false)
	}
	return "pdf", p.pdfPage(one(p.Rand, []string{"lines", "columns", "dots"}))
}

// fields makes a form whose values are in form fields, beside their printed labels.
func fields(p *paper) (extension, content string) {
	p.form()
	return "pdf", p.pdfPage("fields")
}

// declarations makes the first pages of a policy: the insured, the period, the premium by part,
// and the locations.
func declarations(p *paper) (extension, content string) {
	p.text(p.insurer.name + "\n" + p.oneLine(p.insurer))
	p.not("company_name", p.insurer.name)
	p.not("broker_name", p.insurer.name)
	p.add(block{heading: p.value("product") + map[string]string{"en": " Policy Declarations", "de": " - Versicherungsschein", "fr": " - Conditions particulières", "es": " - Condiciones particulares", "nl": " - Polisblad"}[p.language]})
	p.add(block{entries: append([]entry{p.entry("company_name"), p.entry("address"), p.entry("policy_inception_date"), p.entry("end_date")}, p.brokerEntries()...)})
	p.stateCovers()
	header := map[string][]string{"en": {"Coverage Part", "Limit", "Premium"}, "de": {"Deckung", "Summe", "Prämie"}, "fr": {"Garantie", "Montant", "Prime"}, "es": {"Cobertura", "Límite", "Prima"}, "nl": {"Dekking", "Bedrag", "Premie"}}
	rows := [][]string{header[p.language]}
	left := p.premium
	for i, cover := range p.covers {
		share := p.premium / int64(len(p.covers)+1) / 10 * 10
		if i == len(p.covers)-1 {
			share = left
		}
		left -= share
		rows = append(rows, []string{cover, p.grouped(int64(1+p.IntN(40)) * 250_000), p.grouped(share)})
	}
	p.add(block{rows: rows}, block{entries: []entry{p.entry("estimated_premium")}})
	if p.chance(60) {
		p.add(block{heading: p.phrase("locations heading")}, block{rows: texts(p.locationRows())})
	}
	if p.chance(70) {
		return "pdf", p.pdfPage(one(p.Rand, []string{"lines", "columns", "boxes"}))
	}
	return "docx", p.wordPage(false)
}
