package decode

import "strings"

// Lines splits text at line ends of any kind. It removes whitespace from the
// ends of lines, and empty lines from the end of the text.
func Lines(text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if hasOtherLineEnds(text) {
		text = lineEnds.Replace(text)
	}
	text = strings.TrimRight(text, " \t\u00a0\n")
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\u00a0")
	}
	return lines
}

// hasOtherLineEnds reports whether text has line ends that lineEnds replaces. It is much faster than the
// replacer.
func hasOtherLineEnds(text string) bool {
	for _, end := range [...]string{"\r", "\f", "\v", "\u2028", "\u2029", "\u0085"} {
		if strings.Contains(text, end) {
			return true
		}
	}
	return false
}

var lineEnds = strings.NewReplacer("\r", "\n", "\f", "\n", "\v", "\n", "\u2028", "\n", "\u2029", "\n", "\u0085", "\n")
