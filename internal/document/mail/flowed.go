package mail

import "strings"

// unflow joins the lines of text in the format "flowed" (RFC 3676): a line that
// ends in a space continues on the next one. With joinWords, the space itself is
// removed.
func unflow(text string, joinWords bool) []string {
	var out []string
	var open strings.Builder
	flowing := false
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		if flowing && strings.HasPrefix(line, ">") != strings.HasPrefix(open.String(), ">") {
			out, flowing = append(out, strings.TrimRight(open.String(), " ")), false
			open.Reset()
		}
		if flowing {
			line = strings.TrimLeft(line, ">")
			line = strings.TrimPrefix(line, " ")
		}
		soft := strings.HasSuffix(line, " ") && line != "-- "
		if soft && joinWords {
			line = line[:len(line)-1]
		}
		open.WriteString(line)
		if flowing = soft; !soft {
			out = append(out, strings.TrimRight(open.String(), " \t\r"))
			open.Reset()
		}
	}
	if open.Len() > 0 {
		out = append(out, strings.TrimRight(open.String(), " "))
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}
