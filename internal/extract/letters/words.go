package letters

import (
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/lazyregexp"
)

var (
	replyMark = vocabulary.Pattern(`(?i)^\s*({{letters.reply}}\s*:|\[[^\]]*\])\s*`)
	subjectAt = vocabulary.Pattern(`\s+[-–—|]+\s+|\s*[|:;]\s*|\s+//?\s+|,\s+{{letters.after name}}\b|\s+{{letters.before date}}\s+\d`)
	// ColumnGap matches the gap between the columns of a line.
	ColumnGap = lazyregexp.New(`\t| {2,}`)
	// numberInName matches a number that can be the first word of a name, and is not a year from 1900 to 2099.
	numberInName = lazyregexp.New(`^(?:\d{1,3}|(?:1[0-8]|2[1-9]|[3-9]\d)\d\d)$`)
	// wordOfName matches a word that stands beside names in subjects, and can also begin a name.
	wordOfName = vocabulary.Pattern(`(?i)^(?:{{letters.begins name}}|{{dates.month}})$`)
	// SubjectWord matches a word of the subject of a mail that is not part of a name.
	SubjectWord = vocabulary.Pattern(`(?i)^(?:{{letters.around name}}|\d[\d/.\-]*|v\d+|{{dates.month}})$`)
)

var (
	startWords  = vocabulary.Pattern(`(?i)\b{{letters.date}}\b|\b{{letters.before date}} \d`)
	renewalWord = vocabulary.Pattern(`(?i)\b{{letters.renewal}}\b`)
	newWords    = vocabulary.Pattern(`(?i)\b{{letters.new business}}\b`)
	quoteWords  = vocabulary.Pattern(`(?i)\b{{letters.what is quoted}}\s+{{letters.quote}}\b|\b{{letters.quote}} (?:is |are )?{{letters.wanted}}\b|\b{{letters.need}}(?: a| your)? {{letters.quote}}|\b(?:{{letters.request}}(?: for)?(?: \w+){0,4} {{letters.quote}}|{{letters.quote}} {{letters.request}}|{{letters.quote request}})\b`)
	tradeWords  = vocabulary.Pattern(`(?i)\b(?:{{letters.about insurance}}|{{letters.before date}} (?:date )?\d+)\b`)
)
