package extract

import (
	"strings"

	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

const properName = `(?:[\p{Lu}0-9][\p{L}\d_&'’.\-]*|&)(?:[ \t]+(?:[\p{Lu}0-9][\p{L}\d_&'’.\-]*|\([\p{Lu}][\p{L}. ]{1,20}\)|&|of|and|the|de|van|von|for|und|et|y|en|des|du|del|la|le|les|der|den)){0,7}?`

// legalName matches the name of a company with its legal form.
var legalName = lazyregexp.New(`\b(` + properName + `),?[ \t]+((?i:Ltd|Limited|PLC|LLC|L\.L\.C|Inc|Incorporated|Corp|Corporation|(?:GmbH|AG|SE) & Co\.? ?KGa?A?|GmbH|LLP|LP|Pty Ltd|Pty|B\.?V|N\.?V|S\.A\. de C\.V|S\. de R\.L\. de C\.V|S\. de R\.L|S\.A\.R\.L|S\.A\.U|S\.A|SARL|SpA|S\.p\.A|Co-?operative|S\.L\.U|S\.L|VOF)|DAC|EURL|SASU|SCI|SNC|SLU|SL|SAU|OHG|UG|CLG|KG|SE|SAS|SRL|Oy|ApS|SA|AG|AB|Co|Company)\b\.?`)

var firmWords = lazyregexp.New(`(?i)\b(brokers?|brokerage|broking|versicherungsmakler|makler|courtage|courtiers?|assurances? conseils?|correduría|corredores|mediadores|assurantiën|assurantiekantoor|assurantie-?adviseurs|versicherungsvermittlung|versicherungsdienst|insurance (services|consultants|cent(?:er|re)|agency|solutions|group|associates|advisors|partners|management)|risk (partners|solutions|management|services|advisors|advisers|consultants|group)|agency|intermediar(y|ies))\b`)

var bigFirms = lazyregexp.New(`(?i)\b(marsh|aon|willis|wtw|gallagher|lockton|howden|hub international|brown & brown|acrisure|assuredpartners|usi insurance|alliant|mcgill|bms|towergate|bluefin|jelf)\b`)

var insurers = lazyregexp.New(`(?i)\b(insurance (company|co|plc|limited|ltd|corporation|corp|se|sa|ag|n\.?v)|assurance|underwriting|underwriters|mutual|syndicate|reinsurance|lloyd'?s|indemnity company|casualty company|aig|chubb|zurich|allianz|axa|aviva|travelers|hartford|liberty mutual|fm global|nationwide|qbe|hiscox|beazley|generali|rsa|tokio marine|sompo|swiss re|munich re|berkshire hathaway|cna|markel|great american|hanover|cincinnati insurance)\b`)

var brokerish = func(name string) bool { return firmWords.MatchString(name) || bigFirms.MatchString(name) }

// person matches the names of persons. The names of some firms have the same form.
var person = lazyregexp.New(`^(?:(?:Mr|Mrs|Ms|Dr)\.? )?\p{Lu}\p{Ll}+(?: \p{Lu}\.?)? \p{Lu}[\p{Ll}'’]+(?:-\p{Lu}\p{Ll}+)?$`)

var tradingAs = lazyregexp.New(`(?i)[(,]?\s*\b(?:trading as|doing business as|t/a|d/b/a|dba:?|a\.?k\.?a\.?:?)\s+([^)\n;]+)`)

var docTitle = lazyregexp.New(`(?i)\b(statement of values|schedule of values|schedule of locations|property schedule|broking submission|insurance submission|risk submission|underwriting submission|risk presentation|market presentation)\b`)

// onlyDescribes reports whether a text says that somebody is a broker, without a name, such
// as "Insurance Consultants".
func onlyDescribes(text string) bool {
	words := vocabulary.Words(text)
	for _, w := range words {
		if !vocabulary.Parties().Means(w, "descriptor") {
			return false
		}
	}
	return len(words) > 0
}

// nameKey returns a company's name without its legal form, for comparisons.
func nameKey(name string) string {
	fields := strings.Fields(words.Spread(name))
	for len(fields) > 1 && legalForms[fields[len(fields)-1]] {
		fields = fields[:len(fields)-1]
	}
	if len(fields) > 1 && fields[0] == "the" {
		fields = fields[1:]
	}
	return strings.Join(fields, "")
}

var legalForms = words.Set("ltd", "limited", "plc", "llc", "inc", "incorporated", "corp", "corporation", "gmbh", "ag", "sa", "bv", "nv", "pty", "co", "company", "llp", "lp", "spa", "srl", "sas", "sarl", "ab", "as", "oy", "lc", "pllc", "pc")
