package parse

import (
	"slices"
	"strings"

	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

const properName = `(?:[\p{Lu}0-9][\p{L}\d_&'’.\-]*|&)(?:[ \t]+(?:[\p{Lu}0-9][\p{L}\d_&'’.\-]*|\([\p{Lu}][\p{L}. ]{1,20}\)|&|of|and|the|de|van|von|for|und|et|y|en|des|du|del|la|le|les|der|den)){0,7}?`

// LegalName matches the name of a company with its legal form.
var LegalName = lazyregexp.New(`\b(` + properName + `),?[ \t]+((?i:Ltd|Limited|PLC|LLC|L\.L\.C|Inc|Incorporated|Corp|Corporation|(?:GmbH|AG|SE) & Co\.? ?KGa?A?|GmbH|LLP|LP|Pty Ltd|Pty|B\.?V|N\.?V|S\.A\. de C\.V|S\. de R\.L\. de C\.V|S\. de R\.L|S\.A\.R\.L|S\.A\.U|S\.A|SARL|SpA|S\.p\.A|Co-?operative|S\.L\.U|S\.L|VOF|P\.C|P\.A|PLLC|P\.L\.L\.C|L\.P|Pte\.? Ltd|Ltda|Lda|e\.V|e\.K|V\.O\.F|C\.V|S\.Coop)|DAC|GbR|mbH|SCOP|SCEA|GAEC|EURL|SASU|SCI|SNC|SLU|SL|SAU|OHG|UG|CLG|KG|SE|SAS|SRL|Oy|ApS|SA|AG|AB|Co|Company)\b\.?(?:,? (?:Inc|LLC|Ltd|L\.?P|LLP|KG)\b\.?)?`)

var firmWords = lazyregexp.New(`(?i)\b(brokers?|brokerage|broking|(?:versicherungs|assekuranz|industrie|gewerbe|fach|spezial|finanz)?makler(?:in|ei|büro|haus|gesellschaft)?|versicherungsbroker|versicherungsagentur|courtage|courtiers?|assurances? conseils?|corredur[ií]a|corredores|corretaje|mediadores|mediación de seguros|agencia de seguros|assurantiën|assurantie(?:kantoor|groep|makelaars?|advies)|assurantie-?adviseurs|verzekeringsmakelaars?|verzekeringsadviseurs?|verzekeringsadvies|versicherungsvermittlung|versicherungsdienst|insurance (services|consultants|cent(?:er|re)|agency|solutions|group|associates|advisors|advisers|partners|management|specialists|planners)|risk (partners|solutions|management|services|advisors|advisers|advisory|consultants|group|strategies|specialists)|agency|intermediar(y|ies))\b`)

var bigFirms = lazyregexp.New(`(?i)\b(marsh|aon|willis|wtw|gallagher|lockton|howden|hub international|brown & brown|acrisure|assuredpartners|usi insurance|alliant|mcgill|bms|towergate|bluefin|jelf)\b`)

// InsurerName matches words of insurers, and the names of big ones.
var InsurerName = lazyregexp.New(`(?i)\b(insurance (company|office|exchange|co|plc|limited|ltd|corporation|corp|se|sa|ag|n\.?v)|assurance|underwriting|underwriters|mutual|syndicate|reinsurance|lloyd'?s|indemnity company|casualty company|aig|chubb|zurich|allianz|axa|aviva|travelers|hartford|liberty mutual|fm global|nationwide|qbe|hiscox|beazley|generali|rsa|tokio marine|sompo|swiss re|munich re|berkshire hathaway|cna|markel|great american|hanover|cincinnati insurance)\b`)

// NamesBroker reports whether a name has a word of brokers or is that of a big broker.
var NamesBroker = func(name string) bool {
	return (firmWords.MatchString(name) || bigFirms.MatchString(name)) && !managesForInsurers(name)
}

// HasBrokersWord reports whether a text has a word of brokers, such as "brokers" or "agency".
func HasBrokersWord(text string) bool {
	return firmWords.MatchString(text) && !managesForInsurers(text)
}

// managesForInsurers reports whether a name is that of a firm that acts on behalf of insurers.
func managesForInsurers(name string) bool {
	return slices.ContainsFunc(vocabulary.Parties().Find(name), func(m vocabulary.Match) bool { return m.Meaning == "manager" })
}

// PersonName matches the names of persons. The names of some firms have the same form.
var PersonName = lazyregexp.New(`^(?:(?:Mr|Mrs|Ms|Dr)\.? )?(?:\p{Lu}\p{Ll}+|\p{Lu}\.)(?: \p{Lu}\.?)? \p{Lu}[\p{Ll}'’]+(?:-\p{Lu}\p{Ll}+)?$`)

// TradingAs matches a trade name after the name of a firm.
var TradingAs = lazyregexp.New(`(?i)[(,]?\s*\b(?:trading as|doing business as|t/a|d/b/a|dba:?|a\.?k\.?a\.?:?)\s+([^)\n;]+)`)

// DocTitle matches the title of a submission or of a statement of values.
var DocTitle = lazyregexp.New(`(?i)\b(statement of values|schedule of values|schedule of locations|property schedule|broking submission|insurance submission|risk submission|underwriting submission|risk presentation|market presentation)\b`)

// DescribesFirm reports whether a text says that somebody is a broker, without a name, such
// as "Insurance Consultants".
func DescribesFirm(text string) bool {
	words := vocabulary.Words(text)
	for _, w := range words {
		if !vocabulary.Parties().Means(w, "descriptor") && !YearForm.MatchString(w) {
			return false
		}
	}
	return len(words) > 0
}

// NameKey returns a company's name without its legal form, for comparisons.
func NameKey(name string) string {
	fields := strings.Fields(words.Spread(name))
	for len(fields) > 1 && LegalForms[fields[len(fields)-1]] {
		fields = fields[:len(fields)-1]
	}
	if len(fields) > 1 && fields[0] == "the" {
		fields = fields[1:]
	}
	return strings.Join(fields, "")
}

// LegalForms are the legal forms of companies, in lower case without points.
var LegalForms = words.Set("ltd", "limited", "plc", "llc", "inc", "incorporated", "corp", "corporation", "gmbh", "ag", "sa", "bv", "nv", "pty", "co", "company", "llp", "lp", "spa", "srl", "sas", "sarl", "ab", "as", "oy", "lc", "pllc", "pc", "gbr", "vof", "sl", "kg")

// TitleName matches a title that names the insured.
var TitleName = lazyregexp.New(`(?i)^(?:.*\b(?:statement of values|schedule of values|schedule of (?:locations|properties)|property schedule|broking submission|insurance submission|sov|values schedule|submission)\b)\s*(?:[-–—:|]|for\b|of\b)\s*(.+)$|^(.+?)\s*[-–—:|]\s*(?:\d{4}\s+)?(?:statement of values|schedule of (?:values|locations)|property schedule|insurance submission|sov|values schedule|risk presentation|property insurance submission|locations?|properties|property list|location list|values)\b.*$`)
