package decode

import "strings"

// Lines splits text at line ends of any kind. It removes whitespace from the
// ends of lines, and empty lines from the end of the text.
func Lines(text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.TrimRight(lineEnds.Replace(text), " \t\u00a0\n")
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\u00a0")
	}
	return lines
}

var lineEnds = strings.NewReplacer("\r", "\n", "\f", "\n", "\v", "\n", "\u2028", "\n", "\u2029", "\n", "\u0085", "\n")
