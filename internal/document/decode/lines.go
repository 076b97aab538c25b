package decode

import "strings"

// Lines splits text at line ends of any kind. It removes whitespace from the
// ends of lines, and empty lines from the end of the text.
func Lines(text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = lineEnds.Replace(text)
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\u00a0")
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

var lineEnds = strings.NewReplacer("\r", "\n", "\f", "\n", "\v", "\n", "\u2028", "\n", "\u2029", "\n", "\u0085", "\n")
