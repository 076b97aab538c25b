package extract

import (
	"strings"

	"understudy.example/internal/field"
)

// A label is the text before a value. The fields that begin with "~" depend on the
// party whose details are being read: "~name" is company_name under "Insured" and
// broker_name under "Broker".
type label struct {
	field string
	exact string // forms separated by "|", as words returns them
	other string // forms that fit less well
}

var labelTable = []label{
	{
		"company_name", "versicherungsnehmer|vn|preneur d assurance|assuré|tomador|contraente|verzekeringnemer|insured|named insured|named insured and mailing address|name and address|name and mailing address|insured name and address|insured and mailing address|name and address of insured|applicant name and mailing address|applicant name and address|first named insured|applicant|insured name|name of insured|applicant name|name of applicant|name of applicants|proposer|policyholder|assured|policy holder|reinsured|original insured|principal insured|applicants name|insureds name|named insured applicant|insured company|insured applicant|name first named insured|name first named insured and other named insureds|proposer name|name of proposer|policyholder name|insured entity|named assured|applicant named insured|insured organisation|insured organization|applicant company|applicant company name|insured party|company insured",
		"prepared for|client|name of firm|name of your firm|your name|client name|property owner|owner name|building owner|company name|business name|account|account name|name of company|name of business|organisation name|organization name|legal name|registered name|full legal name|legal entity name|registered company name|legal business name|company|name of the insured|cedant|cedent|member|prospect|prospect name|company legal name|name of organisation|name of organization|entity name|customer|customer name|risk name|name of risk|business legal name|employer|employer name|insured client|account insured",
	},
	{
		"address", "primary office|primary location|principal office address|mailing address|registered address|registered office|registered office address|insured address|insured mailing address|address of insured|business address|company address|insureds address|applicant address|applicants address|client address|applicant mailing address|insureds mailing address|proposer address|registered office and principal place of business|address of applicant|address of proposer|named insured address",
		"head office|head office address|postal address|principal address|correspondence address|headquarters|headquarters address|hq address|principal place of business|principal business address|primary address|main address|registered address principal manufacturing|hq|physical address of insured|corporate address|corporate headquarters|main office address|mailing|principal office|insured mailing",
	},
	{"~address", "address|full address|street address|physical address|office address", ""},
	{"~street", "street|address line 1|address 1|line 1|street name", ""},
	{"~street2", "address line 2|address 2|line 2", ""},
	{"~city", "city|mailing city|town|city town|town city", ""},
	{"~state", "state|mailing state|province|state province|st", "county|region"},
	{"~postal_code", "zip|mailing zip|mailing zip code|mailing postcode|zip code|postal code|postcode|post code|zip postal code|zip postcode|postcode zip", ""},
	{"~city_line", "city state zip|city state zip code|city state and zip|city state postal code", ""},
	{"~country", "country|country code", "country of domicile|country of operation"},
	{"~name", "name", "firm|firm name|full name|organisation|organization"},
	{"~website", "website|web site|website address|web address|company website|web|url|site web|website url", "www|homepage|internet address"},
	{"~phone", "phone|telephone|tel|phone number|telephone number|business phone|contact number|contact phone|office phone|contact telephone|tel number|phone no", "mobile|cell|direct|direct dial|direct line|cell phone|mobile number|t|m|p|o|office|main|ph|dd|contact telephone number|direct phone|mobile phone|business telephone"},
	{"~email", "email|e mail|email address|e mail address|contact email|contact e mail", "mail|e|contact email address|email id"},
	{"~contact", "contact|contact name|contact person|primary contact|main contact|key contact|name of contact|contact details|risk manager|insured contact name", "attention|attn|prepared by|completed by|submitted by contact|key person|point of contact"},
	{"phone_number", "insured phone|insured telephone|insured phone number|applicant phone|company phone|insured tel|applicant phone number|company telephone", ""},
	{"email_id", "insured email|applicant email|company email|insured email address", ""},
	{"contact_name", "insured contact|applicant contact|insured contact person|inspection contact|client contact|accounting records contact|insured contact name", ""},
	{"website", "insured website|applicant website|business website", ""},
	{"dba_aka", "dba|trading name|trading as|t a|doing business as|trade name|aka|also known as|d b a|dba name|trading names|trading style|dba if any|dba aka|other names|doing business as dba", "formerly|formerly known as|fka|other trading names"},
	{"fein", "fein|ein|federal employer identification number|federal id|federal tax id|tax id|fein number|tax id number|employer identification number|fein or soc sec number|federal id number|federal ein|fed id number|fein ssn|ein number|federal tax id number|taxpayer id|tax identification number|fed tax id", ""},
	{
		"legal_entity_type", "entity type|legal entity type|type of entity|type of business entity|legal status|legal form|legal entity|business entity|form of business|type of legal entity|entity|organization type|organisation type|type of organization|type of organisation|business structure|company type|legal structure|form of organization|business entity type|applicant is|insured is|type of company|corporate structure|constitution|company status",
		"business type|type of business|ownership|ownership type",
	},
	{
		"year_founded", "date started|year founded|year established|established|date established|year of establishment|founded|date business established|date business started|business established|year business established|year business started|founded in|established in|business start date|date business commenced|year business commenced|company founded|est|trading since|in business since|date founded|year started|year of foundation|company established|operating since|since|start of business|start date of business|founding year",
		"incorporated|year incorporated|date of incorporation|incorporation date|year of incorporation|incorporated in|date incorporated",
	},
	{
		"annual_revenue", "annual revenue|annual turnover|turnover|revenue|total revenue|total turnover|gross revenue|annual revenues|revenues|annual gross revenue|gross annual revenue|annual gross sales|estimated annual turnover|estimated turnover|gross turnover|annual gross receipts|gross annual receipts|gross receipts|estimated annual revenue|last 12 months revenue|current year revenue|annual turnover estimate|turnover per annum|projected annual revenue|estimated revenue|group turnover|total annual revenue|total annual turnover",
		"sales|total annual sales|annual sales|gross sales|total sales|annual sales revenue|current turnover|current revenue|net sales|projected revenue|projected turnover|fee income|annual receipts|latest turnover|revenue last fiscal year|estimated sales|estimated annual sales",
	},
	{"annual_payroll", "annual payroll|payroll|wageroll|wage roll|total payroll|total wageroll|annual wageroll|annual wage roll|estimated annual wageroll|total annual payroll|estimated payroll|estimated annual payroll|gross payroll|total wages|total wage roll|estimated wageroll|annual wages", "wages|remuneration|total remuneration|annual remuneration|salaries|wages and salaries"},
	{
		"total_full_time_employees", "full time employees|total full time employees|number of full time employees|number full time employees|full time|ft employees|number of full time|full time staff|employees full time|number employees full time|fte|ftes|full time employee count|full time equivalents",
		"number of employees|employees|total employees|headcount|staff|employee count|number of staff|total staff|total number of employees|number employees|workforce|number of persons employed|employee numbers|total headcount|employee number|staff count|staff numbers",
	},
	{
		"company_description", "description of operations|what they do|what do they do|what you do|business description|nature of business|principal activities|business activities|description of business|nature of operations|company description|principal activity|business operations|description of primary operations|nature of business description of operations|description of operations by premises|operations description|insured operations|operations|business overview|trade or business|trade description|occupation business|business profession|business and operations|business or occupation|description of insureds operations|operations summary|summary of operations",
		"business|occupation|activities|trade|industry|company overview|the business|the insured business|company profile|profession|about|business activity|main activities|business of the insured|business class description|type of operations|overview of operations|business summary|about the insured|what they do|industry sector",
	},
	{"company_number", "company number|company registration number|registration number|companies house number|crn|company reg number|registered number|company registered number|registered company number|company registration|co number|company reg|reg number|registered in england number|business registration number|abn|acn|incorporation number|corporate number|co reg number|company house number|commercial register number", ""},
	{"vat_number", "vat number|vat|vat registration number|vat reg number|vat registration|vat id|vat no", ""},
	{"ern_number", "ern|ern number|employer reference number|employers reference number|employers ern|hmrc employer reference number|paye reference|hmrc ern|employer paye reference|employers liability reference number|paye reference number|employer reference number ern|hmrc reference|hmrc reference number", ""},
	{"primary_naics_2012", "naics|naics code|primary naics|primary naics code|naics number|naics 2012|gl naics|naics industry code|naics code primary", ""},
	{"company_jurisdiction", "jurisdiction of incorporation|state of incorporation|country of incorporation|country of registration|place of incorporation|state of domicile|jurisdiction of formation|state of formation|incorporated in state|domicile|company jurisdiction|state of organization", ""},
	{"subsidiary_companies", "subsidiaries|subsidiary companies|subsidiary|list of subsidiaries|subsidiaries to be insured|subsidiaries included|subsidiary company", "associated companies|additional insureds|other named insureds"},
	{"bureau_number", "duns|duns number|d u n s number|d and b number|d and b duns|dun and bradstreet number|duns no", ""},
	{"ppp_loan_size", "ppp loan|ppp loan amount|ppp loan size|paycheck protection program loan", ""},
	{"parent_company_revenue", "parent company revenue|parent revenue|group revenue|parent company turnover", ""},
	{"parent_company_global_sales", "parent company global sales|global sales|worldwide sales|global turnover|worldwide turnover", ""},
	{"registered_in_countries", "registered in countries|countries of registration|countries registered", ""},
	{"assets_in_countries", "assets in countries|countries with assets|countries of assets", ""},
	{"product_sold_in_countries", "products sold in countries|product sold in countries|countries of sale|export countries|exports to|sales territories|countries products sold", ""},
	{"insolvency_history", "insolvency history|previous insolvency|insolvency", ""},

	{
		"broker_name", "makler|versicherungsmakler|courtier|corredor|makelaar|broker|insurance adviser|insurance advisor|insurance consultant|producer|agency|agency name|broker name|producer name|insurance broker|producing broker|placing broker|retail broker|wholesale broker|retail agent|brokerage|broker agency|agent|agent name|broker firm|broker company|name of broker|agent of record|broker of record|producing agency|producing agent|intermediary|intermediary name|reinsurance broker|lead broker|agent broker|broker agent|agency producer|brokerage firm|broker company name|submitting broker|insurance agent|insurance agency|agency brokerage|brokerage name|producer agency|name of agency|name of intermediary|broker producer|broking firm|broking house|insurance intermediary|insurance producer",
		"submitted by|your broker|presented by|representative|introducer|local broker",
	},
	{
		"broker_contact_points", "broker contact|account executive|account handler|broker contact name|producer contact|agency contact|account manager|broker contact person|producer contact name|agent contact|individual broker|broker representative|broker contacts|name of broker contact|broker individual|client executive|placing broker contact|client manager|producer name contact|agency contact name|contact at broker|account director",
		"handler|placed by|senior broker",
	},
	{"broker_email", "broker email|producer email|agency email|broker email address|agent email|broker contact email|broker e mail|producer email address|agency email address|broker contact email address|agent email address", ""},
	{"broker_contact_phone", "broker phone|broker telephone|producer phone|agency phone|broker contact phone|agent phone|broker tel|broker phone number|broker contact number|producer phone number|agency phone number|broker telephone number|agent phone number|broker contact telephone|broker mobile|agency telephone|broker contact phone number", ""},
	{"broker_address", "broker address|producer address|agency address|agent address|brokers address|broker mailing address|agency mailing address|broker office address|brokerage address|address of broker|broker street|producer mailing address|broker street address", ""},
	{"broker_city", "broker city|agency city|producer city", ""},
	{"broker_state", "broker state|agency state|producer state", ""},
	{"broker_postal_code", "broker postal code|broker zip|agency zip|broker postcode|producer zip|broker zip code|producer postal code|agency zip code", ""},
	{"underwriter", "underwriter|underwriter name|uw|lead underwriter|assigned underwriter|underwriter contact|name of underwriter|insurer underwriter|account underwriter|carrier underwriter", "attn underwriter|for the attention of|fao"},
	{"field_office", "underwriter office|field office|branch|branch office|regional office|servicing office|issuing office|underwriting office|office code|insurer branch|company office|servicing branch|writing office", ""},
	{"insurer", "insurer|carrier|holding underwriter|current underwriter|expiring underwriter|existing underwriter|incumbent underwriter|holding insurer|current insurer|existing insurer|insurance company|current carrier|expiring carrier|expiring insurer|incumbent carrier|incumbent insurer|present insurer|incumbent|lead insurer|previous insurer|prior carrier|carrier name|company naic|current insurers|present carrier|naic company|insurers|name of insurer|property insurer|expiring carriers|previous carrier|prior insurer|issuing company|to insurer|reinsurer|mortgagee|loss payee|lender|landlord|additional insured|surveyor|solicitor|security company|alarm company|accountant|auditor|bank|first mortgagee|loss payees|lienholder|appraiser|appraisal firm|property manager|tenant|attorney|tpa|claims handler|loss adjuster|appraised by", ""},
	{"programme_type", "programme|program|programme type|program type|program name|programme name|scheme|type of programme|type of program|facility|binder|programme structure|program structure|policy or program name|scheme name|company policy or program name|placement type|type of placement", "layer|participation type"},
	{
		"product", "line of business|lines of business|class of business|product|product line|products requested|policy type|type of insurance|type of policy|insurance type|lob|class of insurance|coverage part|coverage line|classes of business|product type|lines requested|line|lines|cover type|business line|line of coverage|lines of coverage|class|insurance product|type of risk|class of risk|type of cover|products lines|coverage parts|insurance class|policy form type|policies requested",
		"type",
	},
	{
		"coverage", "coverages requested|coverage requested|covers required|requested covers|required covers|requested coverages|requested coverage|coverages|covers|cover required|coverages required|coverage required|sections of cover|cover requested|requested cover|sections|coverage sections|insurances required|sections required|policy sections|cover sections|covers requested|desired coverage|desired coverages|coverages needed|coverage needed|sections insured|coverage types",
		"coverage|cover|perils|perils insured|perils covered|coverage type",
	},
	{
		"policy_inception_date", "pol inception date|layer inception date|versicherungsbeginn|vertragsbeginn|beginn|date d effet|effective date|eff date|eff|proposed effective date|inception|inception date|policy effective date|policy inception date|policy inception|renewal date|policy start date|cover start date|commencement date|date of inception|effective|proposed eff date|requested effective date|proposed inception date|start date|target effective date|cover inception|policy start|policy commencement date|inception effective date|date cover to commence|effective from|desired effective date|coverage effective date|policy eff date|expected inception|commencement|renewal effective date|risk inception date|target inception date|effective date of coverage|inception renewal date|renewal inception date|target effective|cover commencement date|renewal|requested inception date|cover start|attachment date|date of commencement|requested start date|coverage start date|commencing|policy from|period from|coverage effective|commence date|risk inception|contract start|new policy effective|new policy effective date|requested inception|risk commencement",
		"from|date insurance required|start|renewal due|renewal due date|date of renewal|quote effective date|next renewal|next renewal date|commences|cover from|incepting|due date for renewal",
	},
	{
		"end_date", "pol expiry date|pol expiration date|vertragsablauf|ablauf|date d échéance|expiration date|expiry date|exp date|end date|policy end date|expiry|expiration|proposed exp date|policy expiration date|policy expiry date|proposed expiration date|cover end date|date of expiry|policy exp date|period to|policy end|policy expiry|coverage end date|contract end|termination date|requested expiration date|cover end|policy to|expiring date|date of expiration|expires|coverage expiration date|proposed expiry date|risk expiry date|policy expiration",
		"to|until|ending|end",
	},
	{"~period", "policy period|policy term requested|term requested|period required|period of insurance|period|poi|policy term|period of cover|insurance period|proposed policy period|coverage period|term|proposed period of insurance|policy dates|contract period|proposed policy term|effective dates|period of coverage|period of policy|requested policy period|insured period|policy period requested|dates of cover|effective expiration|renewal period|policy year|requested term|dates of insurance", ""},
	{
		"document_date", "date|date of submission|document date|submission date|report date|date prepared|prepared on|date completed|date of report|dated|completion date|form completion date|date of document|prepared date|date of application|application date|date submitted|date of proposal|proposal date|current date|date of presentation|issued|presentation date|date mm dd yyyy|today date|todays date|issue date",
		"prepared|valuation date|values as of|as of|as at|values as at|schedule date|sov date",
	},
	{
		"estimated_premium", "pol gross premium|gross premium|target premium|target|premium indication sought|premium sought|indication sought|premium required|estimated premium|est total premium|est premium|est annual premium|estimated annual premium|expected premium|indicated premium|premium target|proposed premium|estimated total premium|quoted premium|total estimated premium|target pricing|target price|budget premium|premium budget|indicative premium|target annual premium|renewal target premium|premium indication|target renewal premium|renewal premium target",
		"annual premium|premium|total premium|policy premium|total annual premium|gross premium|estimated policy premium",
	},
	{"~expiring_premium", "expiring premium|current premium|last premium|existing premium|expiring annual premium", ""},
	{
		"100_pct_limit", "limit|limit of liability|limit of indemnity|policy limit|loss limit|loi|limit requested|limits requested|requested limit|requested limits|total limit|blanket limit|policy limits|limits|limit required|program limit|programme limit|policy limit of liability|limits required|policy loss limit|indemnity limit|100 percent limit|limit of insurance|full limit|property limit|maximum limit",
		"sum insured|total sum insured|tiv|total insured value|total insurable value|total insurable values|total insured values|total sums insured|total values|total value|total tiv|sums insured|total declared values|total declared value|total value at risk|tsi|total schedule value",
	},
	{"total_part_time_employees", "part time employees|total part time employees|number of part time employees|number part time employees|part time|pt employees|part time staff|employees part time", ""},
	{"total_number_of_locations", "number of locations|total number of locations|total locations|number locations", ""},
	{field.PowerUnits, "power units|number of power units|total power units|number of vehicles|total vehicles|fleet size|total number of vehicles|number of autos", ""},
	{"quote_target_date", "quote needed by|quote needed by date|quote due date|quote due|quote target date|target quote date|quote deadline|quote by|need quote by|need by date|quote required by|terms required by", ""},
	{"underwriter_email", "underwriter email|underwriter email address|underwriter e mail", ""},
	{"retroactive_date", "retroactive date|retro date|proposed retroactive date|prior acts date", ""},
	{"risk_country", "country of risk|risk country|territory|risk location country|territory of risk|country of exposure|location of risk|geographical scope|risk territory|country of insured risk|risk domicile|policy territory|coverage territory|country of risk location|countries of risk", "territorial scope|territorial limits|territories|geographical limits"},
	{"business_interruption_period", "indemnity period|maximum indemnity period|mip|bi indemnity period|period of indemnity|bi period|business interruption period|max indemnity period|bi indemnity|max ip|ip|business interruption indemnity period|indemnity period months|maximum ip|gross profit indemnity period|period of restoration|bi maximum indemnity period|bi ip|indemnity|bi mip|indemnity term|business income period|extended period of indemnity|maximum indemnity|bi indemnity months|bi months", ""},
	{"form_submission_type", "submission type|transaction type|type of submission|transaction|new or renewal|status of transaction|type of transaction|new renewal|new business or renewal|business status|form submission type|submission status|request type|new business renewal|quote type|type of request|risk status", ""},
	{"exclusive_flag", "exclusive|exclusivity|sole market|broker of record letter|bor|exclusive flag|exclusive to you|exclusive market|is this exclusive|exclusive submission|bor letter", ""},
	{"decline_reason", "decline reason|reason for declinature|declinature reason|reason for decline|reason declined|reason for declination|declination reason", ""},
	{"policy_inception_effective_time", "effective time|inception time|start time|policy inception time|policy effective time|time of inception|policy start time", ""},
	{"policy_end_time", "expiration time|expiry time|end time|policy end time|policy expiry time|time of expiry|policy expiration time", ""},
}

type labelMatch struct {
	field string
	from  source
}

var labelForms = func() map[string]labelMatch {
	m := map[string]labelMatch{}
	for pass, from := range []source{fromLabel, fromSynonym} {
		for _, l := range labelTable {
			forms := l.exact
			if pass == 1 {
				forms = l.other
			}
			for form := range strings.SplitSeq(forms, "|") {
				if _, taken := m[form]; !taken && form != "" {
					m[form] = labelMatch{l.field, from}
				}
			}
		}
	}
	return m
}()

// needless are words that do not change the meaning of a label.
var needless = set("the", "of", "your", "our", "full", "proposed", "requested", "please", "provide", "details", "approx", "approximate",
	"primary", "main", "latest", "required", "for", "a", "an", "is", "what", "policy", "desired", "anticipated", "confirm", "and", "detail", "their", "if", "any", "in", "s")

// matchLabel finds the field that a label names.
func matchLabel(text string) (labelMatch, bool) {
	key := words(numbering.ReplaceAllString(text, ""))
	if key == "" || len(key) > 80 {
		return labelMatch{}, false
	}
	if m, ok := labelForms[key]; ok {
		return m, true
	}
	// "Registered address / principal manufacturing"
	if before, after, ok := strings.Cut(text, "/"); ok {
		if m, ok := labelForms[words(numbering.ReplaceAllString(before, ""))]; ok {
			return labelMatch{m.field, min(m.from, fromSynonym)}, true
		}
		if m, ok := labelForms[words(after)]; ok {
			return labelMatch{m.field, min(m.from, fromSynonym)}, true
		}
	}
	if m, ok := needlessForms[withoutNeedless(key)]; ok {
		return labelMatch{m.field, min(m.from, fromSynonym)}, true
	}
	return similarLabel(key)
}

// needlessForms are the labels of more than one word, without their needless words.
var needlessForms = func() map[string]labelMatch {
	m := map[string]labelMatch{}
	for _, l := range labelTable {
		for form := range strings.SplitSeq(l.exact+"|"+l.other, "|") {
			short := withoutNeedless(form)
			if _, taken := m[short]; taken || !strings.Contains(short, " ") && len(short) < 6 || strings.HasPrefix(l.field, "~") && !strings.Contains(short, " ") {
				continue
			}
			m[short] = labelForms[form]
		}
	}
	return m
}()

func withoutNeedless(key string) string {
	kept := []string{}
	for w := range strings.SplitSeq(key, " ") {
		if !needless[w] {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}
