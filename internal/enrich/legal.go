package enrich

import (
	"slices"
	"strings"

	"understudy.example/internal/address"
)

// legalForms maps endings of company names, as keys, to legal forms. An ending that
// ends with another one comes before it.
var legalForms = []struct{ ending, name string }{
	{"pty ltd", "Proprietary Limited Company"},
	{"pty limited", "Proprietary Limited Company"},
	{"pte ltd", "Private Limited Company"},
	{"pvt ltd", "Private Limited Company"},
	{"co ltd", "Private Limited Company"},
	{"gmbh and co kg", "GmbH & Co. KG"},
	{"gmbh co kg", "GmbH & Co. KG"},
	{"gmbh", "GmbH"},
	{"kgaa", "KGaA"},
	{"ag", "Aktiengesellschaft"},
	{"kg", "Kommanditgesellschaft"},
	{"ohg", "Offene Handelsgesellschaft"},
	{"ug", "Unternehmergesellschaft"},
	{"public limited company", "Public Limited Company"},
	{"plc", "Public Limited Company"},
	{"limited liability company", "Limited Liability Company"},
	{"llc", "Limited Liability Company"},
	{"l l c", "Limited Liability Company"},
	{"pllc", "Professional Limited Liability Company"},
	{"limited liability partnership", "Limited Liability Partnership"},
	{"llp", "Limited Liability Partnership"},
	{"limited partnership", "Limited Partnership"},
	{"lp", "Limited Partnership"},
	{"incorporated", "Corporation"},
	{"inc", "Corporation"},
	{"corporation", "Corporation"},
	{"corp", "Corporation"},
	{"pc", "Professional Corporation"},
	{"sarl", "Société à responsabilité limitée"},
	{"sas", "Société par actions simplifiée"},
	{"srl", "Società a responsabilità limitata"},
	{"spa", "Società per azioni"},
	{"bv", "Besloten vennootschap"},
	{"nv", "Naamloze vennootschap"},
	{"ab", "Aktiebolag"},
	{"asa", "Allmennaksjeselskap"},
	{"aps", "Anpartsselskab"},
	{"oyj", "Julkinen osakeyhtiö"},
	{"oy", "Osakeyhtiö"},
	{"sp z o o", "Spółka z ograniczoną odpowiedzialnością"},
	{"sl", "Sociedad Limitada"},
	{"ltda", "Sociedade Limitada"},
	{"sa de cv", "Sociedad Anónima de Capital Variable"},
	{"sa", "Société anonyme"},
	{"se", "Societas Europaea"},
	{"trust", "Trust"},
	{"partnership", "Partnership"},
	{"cooperative", "Cooperative"},
	{"co op", "Cooperative"},
}

// legalForm returns the legal form that the end of a company's name indicates, or
// "". Outside the US and Canada, "Ltd" is a private limited company.
func legalForm(name, iso string) string {
	key := " " + address.Key(name)
	for _, form := range legalForms {
		if strings.HasSuffix(key, " "+form.ending) {
			return form.name
		}
	}
	if !strings.HasSuffix(key, " ltd") && !strings.HasSuffix(key, " limited") {
		return ""
	}
	if iso == "US" || iso == "CA" {
		return "Limited Company"
	}
	return "Private Limited Company"
}

// mailProviders are mail domains that do not belong to the company.
var mailProviders = []string{
	"gmail.com", "googlemail.com", "outlook.com", "hotmail.com", "hotmail.co.uk", "live.com", "msn.com", "yahoo.com",
	"yahoo.co.uk", "ymail.com", "aol.com", "icloud.com", "me.com", "mac.com", "btinternet.com", "sky.com", "comcast.net",
	"verizon.net", "att.net", "sbcglobal.net", "gmx.de", "gmx.net", "web.de", "t-online.de", "protonmail.com", "proton.me",
	"mail.com", "zoho.com", "orange.fr", "free.fr", "libero.it",
}

// companyDomain returns the domain of an e-mail address, or "" if it is invalid or
// the domain of a mail provider.
func companyDomain(email string) string {
	_, domain, ok := strings.Cut(strings.ToLower(strings.TrimSpace(email)), "@")
	if !ok || !strings.Contains(domain, ".") || strings.ContainsAny(domain, "@ <>,;/") || slices.Contains(mailProviders, domain) {
		return ""
	}
	return domain
}
