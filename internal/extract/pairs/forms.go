package pairs

import "understudy.example/internal/lazyregexp"

// FormName matches the full name of a field of an ACORD form.
var FormName = lazyregexp.New(`(?:^|[.\]\s])([A-Z][A-Za-z0-9]+(?:_[A-Za-z0-9]+)+)(?:\[\d+\])?$`)

var (
	// FormSuffix matches the suffix that numbers the repetitions of a field of an ACORD form: "_A".
	FormSuffix = lazyregexp.New(`_[A-Z]$`)
	// BoxOn matches the value of a ticked box of a form.
	BoxOn = lazyregexp.New(`(?i)^/?(1|on|yes|y|x|true|checked)$`)
)
