package text

import (
	"regexp"
	"strings"

	"understudy.example/internal/document/content"
)

var (
	olderMail   = regexp.MustCompile(`(?i)^\W*[-_]{2,} ?(original message|forwarded message|original appointment|weitergeleitete nachricht|ursprüngliche nachricht|message d'origine)|^begin forwarded message:`)
	attribution = regexp.MustCompile(`(?i)^(on\b.{6,300}\bwrote|am\b.{6,300}\bschrieb.{0,80}|le\b.{6,300}\ba écrit) ?:$`)
	fromField   = regexp.MustCompile(`(?i)^[*\s]*(from|von|de)\s*:[*\s]*\S`)
	otherField  = regexp.MustCompile(`(?i)^[*\s]*(sent|date|to|subject|gesendet|an|betreff|envoyé|objet)\s*:`)
)

// quotedLines reports for each line whether it is text of an older mail. In the
// body of a mail, the first header found is that of an older mail already; in
// any other text it may be the header of the text itself.
func quotedLines(lines []string, isMail bool) []bool {
	quoted := make([]bool, len(lines))
	rest, hadHeader := false, isMail
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		switch {
		case rest:
			quoted[i] = true
		case strings.HasPrefix(line, ">"):
			quoted[i] = true
		case mayBeOlderMail(line) && olderMail.MatchString(line):
			rest, quoted[i] = true, true
		case startsHeader(lines[i:]):
			rest, quoted[i], hadHeader = hadHeader, hadHeader, true
		default:
			if n := attributionLines(lines[i:]); n > 0 {
				for j := range n {
					quoted[i+j] = true
				}
				i += n - 1
				rest = !nextHasMark(lines[i+1:])
			}
		}
	}
	return quoted
}

// The checks of single characters are faster than the patterns, which only few lines
// match.

// mayBeOlderMail reports whether olderMail can match a line.
func mayBeOlderMail(line string) bool {
	return strings.HasPrefix(line, "b") || strings.HasPrefix(line, "B") || strings.Contains(line, "--") || strings.Contains(line, "__") ||
		strings.Contains(line, "-_") || strings.Contains(line, "_-")
}

// mayBeFromField reports whether fromField can match a line.
func mayBeFromField(line string) bool {
	line = strings.TrimLeft(line, "* \t\n\f\r")
	return line != "" && strings.IndexByte("fFvVdD", line[0]) >= 0
}

// mailOnlyFields occur in the header of a mail, but not where "From" and "To"
// mean something else, such as a policy period.
var mailOnlyFields = map[string]bool{"subject": true, "sent": true, "betreff": true, "gesendet": true, "objet": true, "envoyé": true}

// startsHeader reports whether the lines start with the header of a mail as mail
// programs write it above the quoted text.
func startsHeader(lines []string) bool {
	if !mayBeFromField(lines[0]) || !fromField.MatchString(lines[0]) {
		return false
	}
	found, mailOnly := 0, false
	for _, line := range lines[1:min(len(lines), 7)] {
		if m := otherField.FindStringSubmatch(line); m != nil {
			found++
			mailOnly = mailOnly || mailOnlyFields[strings.ToLower(m[1])]
		}
	}
	return found >= 2 && mailOnly
}

// attributionLines returns how many lines the words "On …, … wrote:" take at the
// start of the lines, which is more than one when they are wrapped; 0 when they
// are not there.
func attributionLines(lines []string) int {
	joined := ""
	for n, line := range lines[:min(len(lines), 3)] {
		line = strings.TrimSpace(line)
		if line == "" || len(line) > 300 {
			return 0
		}
		joined = strings.TrimSpace(joined + " " + line)
		if strings.HasSuffix(joined, ":") && attribution.MatchString(joined) {
			return n + 1
		}
	}
	return 0
}

// nextHasMark reports whether the next line that is not empty starts with the
// mark of a quotation.
func nextHasMark(lines []string) bool {
	for _, line := range lines[:min(len(lines), 4)] {
		if line = strings.TrimSpace(line); line != "" {
			return strings.HasPrefix(line, ">")
		}
	}
	return false
}

// unquote removes the marks of quotation from a line.
func unquote(line string) string {
	for {
		trimmed := strings.TrimLeft(line, " ")
		if !strings.HasPrefix(trimmed, ">") {
			return line
		}
		line = strings.TrimPrefix(trimmed[1:], " ")
	}
}

// MarkQuoted marks the blocks that belong to older mails, in a document that is
// a printed thread of mails or in the body of a mail.
func MarkQuoted(blocks []content.Block, isMail bool) {
	lines := make([]string, len(blocks))
	for i, b := range blocks {
		lines[i] = b.Text
		if b.Table != nil {
			lines[i] = "table" // neither an empty line nor part of a header
		}
	}
	for i, quoted := range quotedLines(lines, isMail) {
		if blocks[i].HeaderFooter || blocks[i].Label != "" || !quoted {
			continue
		}
		blocks[i].Quoted, blocks[i].Text = true, unquote(blocks[i].Text)
	}
}
