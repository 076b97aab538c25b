package decode

import "strings"

// Symbol returns the character that a symbol font shows for a code of four
// hexadecimal digits. It knows the few that forms use and returns an empty
// string for all others.
func Symbol(code string) string {
	switch strings.ToUpper(code) {
	case "F0FE", "F078", "F053", "F052", "F0FD":
		return "☒"
	case "F0A8", "F06F", "F071", "F0A3", "F02A":
		return "☐"
	case "F0FC":
		return "✓"
	case "F0B7", "F0A7":
		return "•"
	case "F02D":
		return "-"
	}
	return ""
}
