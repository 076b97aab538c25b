package letters

import (
	"understudy.example/internal/lazyregexp"
)

var (
	replyMark = lazyregexp.New(`(?i)^\s*((re|fw|fwd|aw|wg|urgent|external|ext|new)\s*:|\[[^\]]*\])\s*`)
	subjectAt = lazyregexp.New(`\s+[-–—|]+\s+|\s*[|:;]\s*|\s+//\s+|,\s+(?:eff|effective|renewal|inception|due)\b|\s+(?:eff\.?|effective|renewing|incepting|renewal date)\s+\d`)
	// SubjectWord matches a word of the subject of a mail that is not part of a name.
	SubjectWord = lazyregexp.New(`(?i)^(new|renewal|quote|quotation|submission|request|urgent|please|for|insurance|property|commercial|liability|package|sov|statement of values|schedule|of|values|the|risk|business|review|attached|date|our|client|account|fwd?|re|line|policy|programme|program|broking|market|presentation|information|application|opportunity|\d[\d/.\-]*|q[1-4]|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|gl|wc|bop|cyber|casualty|auto|umbrella|marine|fleet|motor|combined|and|&|updated?|final|v\d+|needed|by|due|sums|insured|details|email|data|supplemental|questionnaire|form|intake|customer|acord|loss|runs?|docx?|pdf|xlsx?|example|sample|test|full|copy|draft|document|locations?|file|portfolio|final|corrections?|corrected|details|additional|revised|amended|queries|questions?|quoted?|terms|referral|bind|order|extension|endorsement|mta|mid-term|adjustment)$`)
)

var (
	startWords  = lazyregexp.New(`(?i)\b(renewal|effective|eff|inception|incepting|renewing)\b`)
	renewalWord = lazyregexp.New(`(?i)\brenewal\b`)
	newWords    = lazyregexp.New(`(?i)\bnew (business|submission)\b`)
	quoteWords  = lazyregexp.New(`(?i)\b(?:new business|renewal|submission|property|package|insurance)\s+(?:quote|quotation)\b|\b(?:quote|quotation)s? (?:is |are )?(?:required|needed|wanted|please)\b|\bneed(?: a| your)? (?:quote|quotation)|\b(?:request(?:s|ed|ing)?(?: for)?(?: \w+){0,4} (?:quote|quotation)s?|(?:quote|quotation) request(?:ed)?|please quote|RFQ)\b`)
	tradeWords  = lazyregexp.New(`(?i)\b(?:submissions?|renewals?|renewing|quot(?:e|es|ed|ation|ations)|proposal form|insur(?:ance|ed)|underwriting|SOV|(?:statement|schedule) of values|new business|inception|incepting|indication|endorsement|BOR|broker of record|loss runs?|acord|(?:eff|effective)\.? (?:date )?\d+)\b`)
)
