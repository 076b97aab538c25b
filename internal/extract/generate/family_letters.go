package generate

import (
	"mime"
	"strings"
	"time"
)

// mail makes a broker's mail to an underwriter: sentences or entries, a signature, often an older
// message below, and sometimes a schedule of locations as an attachment.
func mail(p *paper) (extension, content string) {
	p.informal = 1
	subject := p.phrase("subject")
	p.text(p.phrase("greeting"))
	p.introduce()
	if p.chance(50) {
		p.sentences()
	} else {
		p.add(block{entries: p.insuredEntries()[1:]}, block{entries: p.policyEntries()})
		p.covering()
	}
	p.text(p.phrase("closing"))
	p.sign()
	if p.chance(50) {
		p.text(p.phrase("disclaimer"))
	}
	if p.chance(40) {
		p.quote()
	}
	header := "From: " + mime.QEncoding.Encode("utf-8", p.broker.person()) + " <" + p.broker.email() + ">\r\n" +
		"To: " + mime.QEncoding.Encode("utf-8", p.insurer.person()) + " <" + p.insurer.email() + ">\r\n" +
		"Subject: " + mime.QEncoding.Encode("utf-8", subject) + "\r\n" +
		"Date: " + p.written.Format(time.RFC1123Z) + "\r\nMIME-Version: 1.0\r\n"
	body := "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
	if p.chance(35) {
		body = strings.Replace(body, "plain", "html", 1) + p.webPage()
	} else {
		body += p.plainText()
	}
	if !p.chance(30) {
		return "eml", header + body
	}
	const boundary = "=_part_7f3a"
	return "eml", header + "Content-Type: multipart/mixed; boundary=\"" + boundary + "\"\r\n\r\n--" + boundary + "\r\n" + body + "\r\n--" + boundary +
		"\r\nContent-Type: text/csv; charset=utf-8\r\nContent-Disposition: attachment; filename=\"sov.csv\"\r\nContent-Transfer-Encoding: 8bit\r\n\r\n" +
		p.separated(p.locationRows()) + "\r\n--" + boundary + "--\r\n"
}

// introduce adds the sentence that presents the insured.
func (p *paper) introduce() {
	p.text(p.phrase("opening"))
	p.not("company_name", p.insurer.name)
	p.not("company_name", p.broker.name)
	p.value("company_name")
}

// sentences adds the values of the insured and of the policy as prose.
func (p *paper) sentences() {
	kinds := []string{"revenue", "founded", "site", "premium", "prior", "claims"}
	p.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	about := ""
	for _, kind := range kinds[:3+p.IntN(4)] {
		about += p.phrase(kind) + " "
		if p.chance(30) {
			p.text(strings.TrimSpace(about))
			about = ""
		}
	}
	if about != "" {
		p.text(strings.TrimSpace(about))
	}
	p.text(p.phrase("period"))
	p.covering()
}

// covering adds the requested covers as a sentence or a list.
func (p *paper) covering() {
	if p.chance(40) {
		p.text(p.phrase("covers"))
		return
	}
	p.text(p.phrase("covers heading"))
	p.add(block{items: p.checklist()})
}

// sign adds the broker's signature.
func (p *paper) sign() {
	lines := []string{p.phrase("signoff"), p.broker.person(), one(p.Rand, p.phrasesOf("role")), p.value("broker_name")}
	if p.chance(60) {
		lines = append(lines, p.oneLine(p.broker))
	}
	if p.chance(80) {
		lines = append(lines, one(p.Rand, []string{"", "Tel: ", "T: ", "Tel. "})+p.value("broker_contact_phone"))
	}
	if p.chance(80) {
		lines = append(lines, p.value("broker_email"))
	}
	p.value("broker_contact_points")
	if p.chance(15) { // an empty line between all lines
		for _, line := range lines {
			p.text(line)
		}
		return
	}
	p.text(lines[0])
	p.text(strings.Join(lines[1:], "\n"))
}

// quote adds the older message to which the mail answers, from the insured to the broker.
func (p *paper) quote() {
	p.text(p.phrase("quoted"))
	p.text(p.phrase("from") + ": " + p.insured.person() + " <" + p.insured.email() + ">\n" + p.phrase("to") + ": " + p.broker.person())
	p.text(p.phrase("prior"))
}

// letter makes a broker's letter to an insurer.
func letter(p *paper) (extension, content string) {
	p.text(strings.Join([]string{p.broker.name, p.oneLine(p.broker), p.broker.phone, p.broker.site}, "\n"))
	p.text(p.date(p.written))
	p.text(strings.Join([]string{p.insurer.name, p.insurer.person(), place(p.market, p.insurer.street, p.insurer.city, p.insurer.state, p.insurer.zip, "\n")}, "\n"))
	p.text(p.phrase("subject"))
	p.text(p.phrase("greeting"))
	p.introduce()
	p.sentences()
	if p.chance(30) {
		p.add(block{heading: p.phrase("locations heading")}, block{rows: texts(p.locationRows())})
	}
	p.text(p.phrase("closing"))
	p.sign()
	switch p.IntN(4) {
	case 0:
		return "txt", p.plainText()
	case 1:
		return "html", p.webPage()
	case 2:
		return "docx", p.wordPage(false)
	}
	return "pdf", p.pdfPage("lines")
}

// slip makes a slip of the London market.
func slip(p *paper) (extension, content string) {
	for p.language != "en" {
		p.risk = newRisk(p.Rand)
	}
	p.letters = 2
	p.value("policy_inception_date")
	p.value("end_date")
	p.not("company_name", p.broker.name)
	period := one(p.Rand, []string{"From {inception} to {end}, both days inclusive", "12 months at {inception}, expiring {end}", "{inception} to {end} local standard time"})
	entries := []entry{
		{"UNIQUE MARKET REFERENCE", "B0" + strings.ReplaceAll(p.fein, "-", "")},
		{one(p.Rand, []string{"TYPE", "CLASS", "FORM"}), p.value("product") + " Insurance"},
		{p.label("company_name"), p.value("company_name") + one(p.Rand, []string{"", " and/or subsidiary companies"})},
		{p.label("address"), p.value("address")},
		{"PERIOD", p.fill(period)},
		{"INTEREST", strings.Join(p.covers, ", ")},
		{"DEDUCTIBLE", p.money(25_000) + " each and every loss"},
		{"TERRITORY", p.value("risk_country")},
		{"CHOICE OF LAW", "England and Wales"},
		{"PREMIUM", p.value("estimated_premium") + one(p.Rand, []string{"", " (100%)", " annual"})},
		{"TURNOVER", p.value("annual_revenue")},
		{"EXPIRING", p.fill("{insurer}, {prior premium}")},
		{"UNDERWRITER", p.value("underwriter")},
		{p.label("broker_name"), p.value("broker_name")},
		{"CONTACT", p.value("broker_contact_points") + ", " + p.value("broker_contact_phone") + ", " + p.value("broker_email")},
	}
	p.not("estimated_premium", cents(p.priorPremium))
	p.add(block{heading: "RISK DETAILS"}, block{entries: entries[:12]}, block{heading: "SECURITY DETAILS"}, block{entries: entries[12:]})
	switch p.IntN(3) {
	case 0:
		return "txt", p.plainText()
	case 1:
		return "docx", p.wordPage(false)
	}
	return "pdf", p.pdfPage("columns")
}
