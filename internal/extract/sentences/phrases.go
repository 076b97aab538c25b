// Package sentences reads the values that sentences state: amounts, dates, periods, answers, and the
// revenue of several years.
package sentences

import (
	"strings"

	"understudy.example/internal/extract/assign"
	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/sov"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// A phrase is a pattern of words that states a field. Its first group is the value.
type phrase struct {
	field string
	words string // the text must contain one of these, in lower case
	form  *lazyregexp.Regexp
	fit   float64
}

const anyDate = `((?:\b\d{1,2}(?:st|nd|rd|th)?(?: of)?[ \-/.]+[A-Za-z]{3,9}[ ,\-/.]+\d{2,4})|[A-Za-z]{3,9}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}|\d{1,4}[/.\-]\d{1,2}[/.\-]\d{1,4})`

// localSum is a sum with a currency before or behind it, with the units of other languages.
const (
	localDigits = `\d[\d.,’' \x{a0}\x{202f}]*\s*`
	localUnit   = `(?:mio\.?|mrd\.?|millionen|millions|millones|miljoen|milliarden|M|k|K)?\s*`
	localSum    = `((?:EUR|CHF|€)\s*` + localDigits + localUnit + `|` + localDigits + localUnit + `(?:d['’])?(?:€|EUR\b|CHF\b|euros?\b|TEUR\b|T€))`
)

const anySum = `((?:US\$|[$£€]|GBP|USD|EUR)\s*\d[\d,.]*\s*(?:k|m|mm|mn|bn|million|thousand|billion)?\b)`

var phrases = []phrase{
	{"policy_inception_date", "renew|incept|effective|commenc|cover", lazyregexp.New(`(?i)\b(?:renewal(?: date)?|renews?|renewing|incept(?:ion|s|ing)?|effective|commenc(?:es|ing|ement)|start date|cover (?:is )?(?:required|needed|to start)|coverage to (?:begin|start|be effective))(?:\s*\b(?:date|is|has|been|be|now|should|read|will|of|on|from|as of|with effect|for|due|at|moved|moves|moving|changed|changes|changing|pushed|amended|brought forward|put back|delayed|to))*\s*:?\s*(?:the\s+)?` + anyDate), 1},
	{"policy_inception_date", "from", lazyregexp.New(`(?i)\b(?:insurance|cover|coverage|protection|policy)\s+(?:to run |to start |starting |beginning |incepting )?from\s+(?:the\s+)?` + anyDate), 0.95},
	{"policy_inception_date", "with effect", lazyregexp.New(`(?i)\bwith effect from\s+(?:the\s+)?` + anyDate), 1},
	{"policy_inception_date", "zum|ab |beginn|wirkung", lazyregexp.New(`(?i)\b(?:angebot|beginn|deckung|versicherungsschutz|vertrag|wirkung|umdeckung|neuordnung)\b[^.;\n]{0,40}?\b(?:zum|ab(?: dem)?|vom|beginn)?\s*:?\s*` + anyDate), 0.9},
	{"policy_inception_date", "effet|compter", lazyregexp.New(`(?i)\b(?:effet(?: au| le)?|à compter du|prise d['’]effet(?: au| le)?)\s*:?\s*(?:le\s+)?` + anyDate), 0.95},
	{"policy_inception_date", "efecto|partir|inicio", lazyregexp.New(`(?i)\b(?:efecto|con efecto(?: del?| desde)?|a partir del?|inicio)\s*:?\s*(?:el\s+|del\s+)?` + anyDate), 0.95},
	{"policy_inception_date", "ingang|per ", lazyregexp.New(`(?i)\b(?:ingangsdatum|met ingang van|ingaande|dekking per|offerte per)\s*:?\s*` + anyDate), 0.95},
	{"policy_inception_date", "from ", lazyregexp.New(`(?i)\b(?:terms|quote|quotation|indication|proposal)\s+(?:is |are )?(?:required |needed |wanted )?from\s+(?:the\s+)?` + anyDate), 0.95},
	{"end_date", "laufzeit|vertragsende", lazyregexp.New(`(?i)\b(?:laufzeit|vertragsende)[^.;\n]{0,30}?\b(?:bis(?: zum)?)?\s*:?\s*` + anyDate), 0.9},
	{"estimated_premium", "target", lazyregexp.New(`(?i)\btarget(?:ed|ing)?(?: premium| price)?\s*(?:is|:|of|at|around|about|approx\.?|roughly)*\s*` + anySum), 0.95},
	{"estimated_premium", "around|under|below|region", lazyregexp.New(`(?i)\b(?:come in|stay|get|keep (?:it|this)|coming in|land)\s+(?:at |in )?(?:around|under|below|about|the region of|at)\s*` + anySum), 0.85},
	{"estimated_premium", "budget", lazyregexp.New(`(?i)\bbudget\b(?: (?:this time|this year|is|of|somewhere|near|around|about|approximately|stands|at|for|the|renewal|premium|a))*\s*:?\s*` + anySum), 0.95},
	{"estimated_premium", "expect|hope|aim|place", lazyregexp.New(`(?i)\b(?:expect|hop(?:e|ing)|aim(?:ing)?|want|like) to (?:place|pay|get|move|secure|bind|be)\b[^.;£$€\n]{0,40}?\b(?:at|to|around|about|under|below|for)\s+(?:about |around |roughly |approximately )?` + anySum), 0.85},
	{"policy_inception_date", "run from|beginning|commencing", lazyregexp.New(`(?i)\b(?:to run from|beginning(?: on)?|commencing(?: on)?|for the (?:period|12 months|year) (?:from|beginning|starting)(?: on)?)\s+(?:noon on |midnight on |the )?` + anyDate), 0.95},
	{"policy_inception_date", "effect from", lazyregexp.New(`(?i)\bwith effect from (?:noon|midnight|12\S* ?[ap]?m?) (?:on )?` + anyDate), 0.95},
	{"end_date", "expire on|until|through", lazyregexp.New(`(?i)\b(?:to expire on|until(?: midnight| noon)?(?: on)?|through)\s+(?:the )?` + anyDate), 0.85},
	{"estimated_premium", "prämie|beitrag", lazyregexp.New(`(?i)\b(?:zielprämie|wunschprämie|prämienziel|zielbeitrag)\s*:?\s*(?:von|bei|ca\.?|rund)?\s*` + localSum), 1},
	{"estimated_premium", "prime|budget", lazyregexp.New(`(?i)\b(?:prime (?:cible|souhaitée)|budget(?: du client)?)\s*:?\s*(?:de|d['’]environ|environ)?\s*` + localSum), 1},
	{"annual_revenue", "umsatz", lazyregexp.New(`(?i)\b(?:jahres|gesamt)?umsatz\b[^.;\n]{0,25}?\s*:?\s*(?:von|ca\.?|rund|beträgt|liegt bei)?\s*` + localSum), 1},
	{"annual_revenue", "ca ht|ca annuel|ca 20|chiffre", lazyregexp.New(`(?:\bCA(?: (?:HT|annuel|20\d\d))+\s*(?::|de)|(?i:chiffre d['’]affaires)(?: (?:HT|annuel|20\d\d))*\s*:?\s*(?:de|d['’]environ|environ|s['’]élève à)?)\s*` + localSum), 1},
	{"annual_revenue", "factura|negocio", lazyregexp.New(`(?i)\b(?:facturación|volumen de negocio|cifra de negocios?)(?: (?:anual|20\d\d))*\s*:?\s*(?:de|es de|aproximada de|unos)?\s*` + localSum), 1},
	{"annual_revenue", "omzet", lazyregexp.New(`(?i)\b(?:jaar)?omzet(?: (?:20\d\d))?\s*:?\s*(?:van|circa|ca\.?|bedraagt)?\s*` + localSum), 1},
	{"year_founded", "gegründet|seit|gründung", lazyregexp.New(`(?i)\b(?:gegründet|gründungsjahr|(?:besteht|tätig|existiert) seit)\s*(?:im jahr(?:e)?|:)?\s*((?:1[6-9]|20)\d\d)\b`), 0.95},
	{"year_founded", "créée|fondée|depuis", lazyregexp.New(`(?i)(?:créée?|fondée?|(?:existe|exerce) depuis)\s*(?:en|:)?\s*((?:1[6-9]|20)\d\d)\b`), 0.9},
	{"year_founded", "fundada|desde|opgericht", lazyregexp.New(`(?i)\b(?:fundad[ao]|opgericht|opera desde|actief sinds)\s*(?:en|in|:)?\s*((?:1[6-9]|20)\d\d)\b`), 0.9},
	{"business_interruption_period", "haftzeit|indemnisation|indemnización|uitkeringstermijn", lazyregexp.New(`(?i)(?:haftzeit|haftungszeit|période d['’]indemnisation|per[ií]odo de indemnización|uitkeringstermijn)\b[^.;\n]{0,15}?(\d{1,2})\s*(?:monate?n?|mois|meses|maanden)`), 1},
	{"end_date", "expir", lazyregexp.New(`(?i)\b(?:polic(?:y|ies) expires?|expir(?:es|ing|y date)|expiration(?: date)?)(?:\s*\b(?:date|is|of|on|at|now|moved|changed|amended|to|has|been))*\s*:?\s*(?:the\s+)?` + anyDate), 0.9},
	{"estimated_premium", "premium", lazyregexp.New(`(?i)\b(?:target|estimated|indicated|expected|proposed)\s+(?:annual |renewal )?premium\s*(?:\([^)]{0,40}\))?(?:\s*(?:is|of|:|now|to|around|approximately|approx\.?|about|circa|c\.|in the region of|at))*\s*` + anySum), 1},
	{"estimated_premium", "premium", lazyregexp.New(`(?i)\b(?:seeking|targeting|looking for|aiming for|require|need)\s+(?:an? |the )?(?:annual |renewal )?premium\s+(?:of|at|around|in the region of)(?:\s+(?:around|approximately|about|circa))?\s*` + anySum), 0.95},
	{"estimated_premium", "target|secure|achieve|looking", lazyregexp.New(`(?i)\b(?:target(?:ing)?|(?:to|can) (?:secure|achieve) terms|looking for terms)(?:\s+(?:price|pricing|is|are|at|of|around|about|approximately|to be|in the region of))*\s*` + anySum), 0.9},
	{"100_pct_limit", "limit|insured|tiv", lazyregexp.New(`(?i)\b(?:limit of (?:indemnity|liability)|loss limit|policy limit|total sums? insured|total insured value|TIV)(?:\s*(?:is|of|:|at|around|approximately|about|circa|c\.))*\s*` + anySum), 0.9},
	{"100_pct_limit", "limit", lazyregexp.New(`(?i)` + anySum + `\s+(?:loss limit|limit of (?:liability|indemnity)|policy limit)\b`), 1},
	{"annual_revenue", "turnover|revenue|sales", lazyregexp.New(`(?i)\b(?:annual )?(?:turnover|revenues?|sales|billings|gross receipts)(?:\s*(?:just (?:over|under)|nearly|almost|over|some|has|have|had|increased?|came to|amounted to|stood at|reached|risen|rose|grown|grew|fallen|fell|decreased|dropped|to|will be|expected|projected|estimated|forecast|(?:for|in) (?:the |last )?(?:y/?e|year|fye?|financial year|period|12 months)(?: (?:ended|ending|to|end))?[^£$€\d\n]{0,20}(?:\d{1,2} \w+ )?(?:\d{2,4})?|is|of|are|was|were|now|:|around|about|approximately|approx\.?|circa|c\.|in excess of|exceeding|at|per annum|totall?ing|last year|in the (?:financial |fiscal )?year to \d{1,2} \w+ \d{4}))*\s*` + anySum), 1},
	{"annual_revenue", "turn", lazyregexp.New(`(?i)\bturn(?:ed|s|ing) over\s*(?:around|about|approximately|circa|c\.|some|just (?:over|under))?\s*` + anySum), 1},
	{"annual_payroll", "payroll|roll", lazyregexp.New(`(?i)\b(?:annual )?(?:payroll|wage ?roll)(?:\s*(?:is|of|:|now|was|around|about|approximately|approx\.?|circa|c\.|at))*\s*` + anySum), 1},
	{"year_founded", "establish|founded|since|started|founding", lazyregexp.New(`(?i)\b(?:established|founded|in business since|trad(?:ing|ed) since|in operation since|dating (?:back )?(?:to|from)|operating since|since its (?:founding|establishment) in|started (?:trading|business) in|family[- ]owned since)\s*(?:in|since|:)?\s*((?:1[6-9]|20)\d\d)\b`), 1},
	{"year_founded", "est", lazyregexp.New(`(?i)\best(?:d|ab)?\.?\s*:?\s+((?:1[6-9]|20)\d\d)\b`), 1},
	{"year_founded", "organi|formed|set up|started|opened|launched|around|traded|business since", lazyregexp.New(`(?i)\b(?:organi[sz]ed|formed|set up|started|opened|launched|(?:been )?around since|(?:have|has) traded since|in business since)\s+(?:in\s+|back in\s+)?(?:\pL+ )?((?:18|19|20)\d\d)\b`), 0.8},
	{"broker_name", "broker", lazyregexp.New(`(?i:\b(?:broker of record|our broker|insurance broker|broker)),? (?i:is )?([\p{Lu}][\pL&'’.-]+(?: (?:[\p{Lu}][\pL&'’.-]+|&|and|of)){1,5})(?:,| \(|\.|$)`), 0.9},
	{"year_founded", "incorporated", lazyregexp.New(`(?i)\bincorporated\s*(?:in|on)?\s*(?:\d{1,2}\s+)?(?:[A-Za-z]+\s+)?((?:1[6-9]|20)\d\d)\b`), 0.85},
	{"total_full_time_employees", "employ|workforce|staff|team|headcount", lazyregexp.New(`(?i)\b(?:employ(?:s|ing)?|workforce of|staff of|team of|headcount of)\s*(?:around|approximately|approx\.?|circa|c\.|some|about|over)?\s*(\d{1,3}(?:,\d{3})*|\d+)\s*(?:full[- ]time|people|staff|employees|persons|FTEs?|workers)`), 1},
	{"total_full_time_employees", "full", lazyregexp.New(`(?i)\b(\d{1,3}(?:,\d{3})*|\d+)\s+(?:full[- ]time )(?:employees|staff|people)`), 1},
	{"total_full_time_employees", "employees|staff|people|fte", lazyregexp.New(`(?i)(?:\b(?:with|and|has|have|of|are|is|now|currently)|[;,(])\s+(?:now |currently )?(?:around|approximately|approx\.?|circa|c\.|some|about|over)?\s*(\d{1,3}(?:,\d{3})*|\d+)\s+(?:full[- ]time )?(?:employees|staff|FTEs?)\b`), 0.9},
	{"total_full_time_employees", "full|ft", lazyregexp.New(`(?i)\b(\d{1,3}(?:,\d{3})*|\d+)\s*(?:\(\pL+\)\s*)?(?:full[- ]?tim(?:e|ers?)|FT)\b[^.;\n]{0,40}?\b(?:\d{1,3}(?:,\d{3})*|\d+)\s*(?:part[- ]?tim(?:e|ers?)|PT)\b`), 0.95},
	{"total_part_time_employees", "part|pt", lazyregexp.New(`(?i)\b(\d{1,3}(?:,\d{3})*|\d+)\s*(?:part[- ]?tim(?:e|ers?)|PT)\b`), 0.95},
	{"business_interruption_period", "indemnity|mip|max ip|bi period", lazyregexp.New(`(?i)\b(?:indemnity period|maximum indemnity|period of indemnity|MIP|max IP|BI period)\s*(?:is|of|:|being)?\s*(\d{1,2}|[a-z\-]+)[ -]*months?`), 1},
	{"business_interruption_period", "month", lazyregexp.New(`(?i)\b(\d{1,2})[- ]months?'?\s+(?:maximum )?(?:indemnity|MIP|IP|BI)\b`), 1},
	{"business_interruption_period", "month", lazyregexp.New(`(?i)\b(?:BI|business interruption|gross profit|loss of rent|rent receivable|business income)\b[^.;\n]{0,50}?\b(\d{1,2})[ -]?months?\b`), 0.95},
	{"company_number", "regist|company", lazyregexp.New(`(?i)\b(?:company|registration|registered)\s+(?:registration\s+)?(?:no\.?|number|#)\s*:?\s*((?:SC|NI|OC)?\d{6,8})\b`), 1},
	{"vat_number", "vat", lazyregexp.New(`(?i)\bVAT\s+(?:registration\s+)?(?:reg\.?\s+)?(?:no\.?|number)\s*:?\s*((?:GB)?\s?\d{3}\s?\d{4}\s?\d{2})\b`), 1},
	{"ern_number", "ern|employer", lazyregexp.New(`(?i)\b(?:ERN|employers?['’]? reference(?: number)?)\s*(?:no\.?|number|#)?\s*(?:is|:)?\s*(\d{3}\s?/\s?[A-Z0-9]{3,10})\b`), 1},
	{"address", "trad|operat", lazyregexp.New(`(?i:\b(?:trading|trades?|operat(?:es|ing))\b[^.;\n]{0,40}?\bfrom)\s+((?:Unit |Units |The |\d)?[A-Z][^;\n]{8,100}?)\.(?:\s|$)`), 0.9},
	{"primary_naics_2012", "naics", lazyregexp.New(`(?i)\bNAICS(?: 2012)?(?: code)?\s*(?:is|of|:|#)?\s*(\d{6})\b`), 1},
	{"primary_sic", "sic", lazyregexp.New(`(?i)\bSIC(?: codes?)?\s*(?:is|of|:|#)?\s*(\d{4})\b`), 1},
	{"address", "office|headquarter|based|located|works|from |reached|yard|depot|plant|factory|workshop|sitz|siège", lazyregexp.New(`(?i:\b(?:home office|head office|main office|may be reached|yard|depot|plant|factory|workshop) at|\bsitz ist|\bsiège(?: social)?(?: est)?(?: situé)?(?: au| à)?|\b(?:trading|operating|operates|trades) from|\b(?:registered office|head office|headquarters|principal place of business|offices?) (?:is|are)(?: (?:located|situated))?(?: at)?|\b(?:headquartered|based|located|situated|(?:from|operates|trading|trades)(?: from)? (?:its|their|our|the) (?:\w+ ){1,2}) ?at)\s+((?:Unit |Units |The |\d)?[^;\n]{8,120}?)(?:\.\s|\.?$| (?:and|where|with|which)\b)`), 1},
	{"broker_name", "by", lazyregexp.New(`(?i:\b(?:prepared|submitted|presented|issued) (?:to [\pL ]{3,30} )?by:?)\s+([A-Z][^\n,;:]{3,60}?)\s*(?:[,;]|\s[-–|]\s|\.?$| on \d)`), 0.9},
	{"document_date", "by", lazyregexp.New(`(?i)\b(?:prepared|submitted|presented|issued) (?:by [^\n;]{3,60}?[,;]?|on)\s+` + anyDate), 1},
	{"underwriter", "attn|attention", lazyregexp.New(`(?m)^\s*(?i:attn|attention|fao|for the attention of)\.?\s*:?\s+(?:Mr\.? |Ms\.? |Mrs\.? )?([A-Z][\pL'’-]+ [A-Z][\pL'’-]+)\s*$`), 1},
	{"underwriter", "dear", lazyregexp.New(`(?m)^Dear (?:Mr\.? |Ms\.? |Mrs\.? )?([A-Z][a-z]+ [A-Z][a-z]+)\s*[,:]?\s*$`), 0.7},
	{"underwriter", "underwriter|uw", lazyregexp.New(`\b(?i:underwriter|uw)\s*(?:is|,|:)?\s+([A-Z][a-z]+ [A-Z][a-z]+)\b`), 0.8},
	{"broker_contact_phone", "my |our ", lazyregexp.New(`(?i)\b(?:my|our) (?:cell|mobile|phone|direct(?: line| dial)?|office|desk|number|telephone)(?: phone| number)?(?: is|:| on)?\s*(\+?[\d ()\-.]{9,20})`), 0.9},
	{"broker_contact_phone", "call|contact|reach", lazyregexp.New(`(?i)\b(?:call|contact|reach) (?:me|us|our office) (?:on|at)\s*(\+?[\d ()\-]{9,20})`), 0.8},
}

// sentenceEnd matches the end of a sentence, but not an initial.
var sentenceEnd = lazyregexp.New(`\pL\pL\. `)

var formerUnderwriter = lazyregexp.New(`(?i)\b(?:holding|current|existing|incumbent|expiring|present|previous) underwriter`)

// siteNumber matches a sentence that is about one numbered location only.
var siteNumber = lazyregexp.New(`(?i)\b(?:loc|location|site|premises|building|bldg)\.?\s*#?\d`)

var fromTo = lazyregexp.New(`(?i)\b(?:(?:policy period|period of (?:insurance|cover)|policy term|coverage|cover|insurance|period)?\s*:?\s*(?:is|of|from|for the period)|(?:policy )?(?:term|period))\s*:?\s*(?:the\s+)?` + anyDate + `\s*(?:,?\s*(?:12:01|00:01|12\.01)[^\n]{0,20}?)?\s*(?:to|until|through|-|–|and ending)\s*:?\s*` + anyDate)

// fromToWords are words, in lower case, one of which fromTo requires.
const fromToWords = "from|is|of|term|period"

// statementWords are words, in lower case, one of which each statement requires.
const statementWords = "bankrupt|liquidat|health|hse|osha|charit|profit|501|hot work|heat|demolition|exclusive|sole market|broker of record|bor"

// Reader reads sentences.
type Reader struct {
	*candidate.Set
	tables *sov.Tables
}

// New returns a reader that proposes candidates for the set. tables are the statements of values.
func New(d *candidate.Set, tables *sov.Tables) *Reader {
	return &Reader{Set: d, tables: tables}
}

const maxName = 300 // bytes of a sentence that begins with a name

// Read extracts values from sentences.
func (d *Reader) Read() {
	d.readSentences()
	d.readTerms()
	for i, l := range d.Lines {
		text := l.Text
		if l.Label != "" {
			text = l.Value
		}
		text = d.RanOn(i, text)
		if len(text) < 8 {
			continue
		}
		lower := strings.ToLower(text)
		for _, p := range phrases {
			if m := p.form.FindStringSubmatch(text); m != nil {
				if !words.Any(lower, p.words) || p.field == "broker_name" && !parse.NamesBroker(text) && !parse.EmailForm.MatchString(text) || p.field == "100_pct_limit" && siteNumber.MatchString(text) {
					continue
				}
				value := m[1]
				if p.field == "underwriter" && (formerUnderwriter.MatchString(text) || parse.JobTitle.MatchString(value) || parse.InsurerName.MatchString(value) || parse.NamesBroker(value) || parse.LegalName.MatchString(value)) {
					continue // "Underwriter, Some Mutual"
				}
				if p.field == "business_interruption_period" {
					value += " months"
				}
				if p.field == "broker_name" {
					whole := text[strings.Index(text, value):]
					if end := sentenceEnd.FindStringIndex(whole); end != nil {
						whole = whole[:end[0]+2]
					}
					assign.New(d.Set).ProposeBroker(words.Cut(whole, maxName), source.Prose, p.fit, l.At)
					continue
				}
				d.Propose(p.field, value, source.Prose, p.fit, l.At)
			}
		}
		if words.Any(lower, "work|undertake|employees|carr") && !d.Printed[l.At.Part] && l.Label == "" {
			stateWork(d.Set, l.Text, l.At)
		}
		if strings.ContainsAny(text, parse.Digits) && words.Any(lower, fromToWords) {
			if m := fromTo.FindStringSubmatchIndex(text); m != nil {
				r := assign.New(d.Set)
				r.ProposePeriod(text[m[2]:m[1]], source.Prose, 1, l.At)
			}
		}
		if d.Printed[l.At.Part] || strings.Contains(text, "?") || !words.Any(lower, statementWords) {
			continue
		}
		for _, s := range statements {
			if s.form.MatchString(text) {
				d.Propose(s.field, s.value, source.Prose, 0.9, l.At)
			}
		}
	}
}
