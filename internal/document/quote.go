package document

import (
	"regexp"
	"strings"
)

var (
	olderMail   = regexp.MustCompile(`(?i)^\W*[-_]{2,} ?(original message|forwarded message|original appointment|weitergeleitete nachricht|ursprüngliche nachricht|message d'origine)|^begin forwarded message:`)
	attribution = regexp.MustCompile(`(?i)^(on\b.{6,300}\bwrote|am\b.{6,300}\bschrieb.{0,80}|le\b.{6,300}\ba écrit) ?:$`)
	headFrom    = regexp.MustCompile(`(?i)^[*\s]*(from|von|de)\s*:[*\s]*\S`)
	headOther   = regexp.MustCompile(`(?i)^[*\s]*(sent|date|to|subject|gesendet|an|betreff|envoyé|objet)\s*:`)
)

// quotedLines tells which lines are text of an older mail. inMail says that
// the head of the mail was apart, so that the first head in the text is
// already an older one's.
func quotedLines(lines []string, inMail bool) []bool {
	quoted := make([]bool, len(lines))
	rest, headed := false, inMail
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		switch {
		case rest:
			quoted[i] = true
		case strings.HasPrefix(line, ">"):
			quoted[i] = true
		case olderMail.MatchString(line):
			rest, quoted[i] = true, true
		case isHead(lines[i:]):
			rest, quoted[i], headed = headed, headed, true
		default:
			if n := attributionLines(lines[i:]); n > 0 {
				for j := range n {
					quoted[i+j] = true
				}
				i += n - 1
				rest = !nextIsMarked(lines[i+1:])
			}
		}
	}
	return quoted
}

// headSubject are the fields that no other "From … To …" has, such as that of
// a policy period.
var headSubject = map[string]bool{"subject": true, "sent": true, "betreff": true, "gesendet": true, "objet": true, "envoyé": true}

// isHead reports whether the lines start with the head of a mail as mail
// programs write it above the quoted text.
func isHead(lines []string) bool {
	if !headFrom.MatchString(lines[0]) {
		return false
	}
	found, subject := 0, false
	for _, line := range lines[1:min(len(lines), 7)] {
		if m := headOther.FindStringSubmatch(line); m != nil {
			found++
			subject = subject || headSubject[strings.ToLower(m[1])]
		}
	}
	return found >= 2 && subject
}

// attributionLines counts the lines of "On …, … wrote:", which is often
// wrapped; 0 when the lines do not start with one.
func attributionLines(lines []string) int {
	joined := ""
	for n, line := range lines[:min(len(lines), 3)] {
		line = strings.TrimSpace(line)
		if line == "" || len(line) > 300 {
			return 0
		}
		joined = strings.TrimSpace(joined + " " + line)
		if attribution.MatchString(joined) {
			return n + 1
		}
	}
	return 0
}

func nextIsMarked(lines []string) bool {
	for _, line := range lines[:min(len(lines), 4)] {
		if line = strings.TrimSpace(line); line != "" {
			return strings.HasPrefix(line, ">")
		}
	}
	return false
}

// unquote takes the marks of quoting off a line.
func unquote(line string) string {
	for {
		trimmed := strings.TrimLeft(line, " ")
		if !strings.HasPrefix(trimmed, ">") {
			return line
		}
		line = strings.TrimPrefix(trimmed[1:], " ")
	}
}

// quoteBlocks marks the older mails in a document that is a printed thread, or
// in the text of a mail.
func quoteBlocks(blocks []Block, inMail bool) {
	lines := make([]string, len(blocks))
	for i, b := range blocks {
		lines[i] = b.Text
		if b.Table != nil {
			lines[i] = "table" // no blank line, and nothing that a mail has
		}
	}
	for i, quoted := range quotedLines(lines, inMail) {
		if blocks[i].Head || blocks[i].Label != "" || !quoted {
			continue
		}
		blocks[i].Quoted, blocks[i].Text = true, unquote(blocks[i].Text)
	}
}
