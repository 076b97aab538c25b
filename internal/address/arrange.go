package address

import (
	"strings"

	"understudy.example/internal/lazyregexp"
)

var (
	// codeFirst matches an address that begins with the postal code: "3491 Straß, Kellergasse 31".
	codeFirst = lazyregexp.New(`^((?:[A-Z]{1,2}-)?\d{4,5}(?: [A-Z]{2})?)\s+(\pL[^,\d]*),\s*([^,]*\pL[^,]*\d.*)$`)
	// codeInside matches an address whose street is not separated from the postal code by a comma.
	codeInside = lazyregexp.New(`^(.*\pL.*[^,\s–-])(\s+[–-]\s+|\s+)((?:[A-Z]{1,2}-)?\d{4,5}(?: [A-Z]{2})?\s+\p{Lu}[^\d,]*)$`)
)

// Arrange returns an address with its street before the postal code, and with a comma between
// them: "Jurastrasse 6 2540 Grenchen" becomes "Jurastrasse 6, 2540 Grenchen". Other texts are
// returned as they are.
func Arrange(text string) string {
	if len(text) > maxArranged || !strings.ContainsAny(text, "0123456789") {
		return text
	}
	if m := codeFirst.FindStringSubmatch(text); m != nil {
		if a := Parse(text); a.Street != "" && a.City != "" && a.PostalCode != "" {
			return text // the number at the beginning is a house number
		}
		return m[3] + ", " + m[1] + " " + strings.TrimSpace(m[2])
	}
	m := codeInside.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	last := m[1][strings.LastIndexByte(m[1], ' ')+1:]
	numbered := strings.ContainsAny(last, "0123456789") || strings.TrimSpace(m[2]) != ""
	if iso := Parse("1 Main Street, " + m[3]).CountryISO; !numbered && (iso == "US" || iso == "CA" || iso == "") {
		return text
	}
	return m[1] + ", " + m[3]
}

const maxArranged = 200 // bytes
