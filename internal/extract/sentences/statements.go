package sentences

import "understudy.example/internal/lazyregexp"

// A statement is a sentence that answers a question.
type statement struct {
	field, value string
	form         *lazyregexp.Regexp
}

var statements = []statement{
	{"bankruptcy_indicator", "N", lazyregexp.New(`(?i)\b(no|never|not|without)\b[^.\n]{0,80}\b(bankrupt\w*)`)},
	{"bankruptcy_indicator", "Y", lazyregexp.New(`(?i)\b(filed for|declared|entered|emerged from)\s+(chapter (7|11)\s+)?bankruptcy`)},
	{"has_company_been_liquidated", "N", lazyregexp.New(`(?i)\b(no|never|not)\b[^.\n]{0,80}\b(liquidat\w*)`)},
	{"has_there_been_health_and_safety_breach", "N", lazyregexp.New(`(?i)\b(no|never|not been)\b[^.\n]{0,80}\b(health (and|&) safety|HSE|OSHA)\b[^.\n]{0,40}\b(breach|prosecution|violation|notice|enforcement|citation)`)},
	{"is_non_profit_company", "N", lazyregexp.New(`(?i)\b(?:is|are) not an? (?:registered )?(?:charity|non-?profit|not[- ]for[- ]profit)`)},
	{"is_non_profit_company", "Y", lazyregexp.New(`(?i)\b(?:non-?profit|not[- ]for[- ]profit) (?:corporation|organi[sz]ation|entity|company)\b`)},
	{"is_non_profit_company", "Y", lazyregexp.New(`(?i)(?:\b(?:is|as)|,) an? (registered )?(charity|non-?profit|not[- ]for[- ]profit|501\(c\)\(3\))|\bregistered charity (no|number)`)},
	{"does_any_employee_works_with_heat_fire", "N", lazyregexp.New(`(?i)\b(no|not (undertake|carry out|use)( any)?)\s+(hot works?|work with heat|use of heat)`)},
	{"does_any_employee_undertakes_demolition_work", "N", lazyregexp.New(`(?i)\bno demolition\b`)},
	{"exclusive_flag", "Y", lazyregexp.New(`(?i)\b(on an exclusive basis|exclusive to you|exclusively to you|sole market|(?:broker of record|BOR)(?: letter)? (?:is )?(?:attached|enclosed)|appointed (?:as )?(?:the )?(?:exclusive )?broker of record)`)},
}
