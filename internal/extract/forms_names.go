package extract

import "understudy.example/internal/lazyregexp"

// formName matches the full name of a field of an ACORD form.
var formName = lazyregexp.New(`(?:^|[.\]\s])([A-Z][A-Za-z0-9]+(?:_[A-Za-z0-9]+)+)(?:\[\d+\])?$`)

var (
	formSuffix = lazyregexp.New(`_[A-Z]$`)
	boxOn      = lazyregexp.New(`(?i)^(1|on|yes|y|x|true|checked|/1|/on|/yes)$`)
)
