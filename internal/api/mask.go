package api

import (
	"regexp"
	"strings"
)

// Masked replaces a secret.
const Masked = "***"

// Secrets that can be recognised anywhere by their form: the data of an upload URL, the
// credentials in a URL, and signed tokens. Mask also recognises generated secrets.
var (
	uploadData  = regexp.MustCompile(`\bdata=[A-Za-z0-9_%-]{16,}`)
	urlPassword = regexp.MustCompile(`://[^/\s"'@]*@`)
	signedToken = regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}(\.[A-Za-z0-9_-]*){0,2}`)
)

// The lengths of the secrets that the server generates, in base64url: client secrets and
// API keys (32 bytes), refresh tokens (52), and the data of upload URLs (72).
const (
	secretLength  = 43
	refreshLength = 70
	uploadLength  = 96
)

// Mask returns the text with each secret replaced that can be recognised by its form.
// It is for text from clients that is shown in the log, the journal or a hint, because
// clients sometimes put secrets in wrong places.
func Mask(text string) string {
	if strings.Contains(text, "data=") { // most texts do not need the regular expression
		text = uploadData.ReplaceAllString(text, "data="+Masked)
	}
	if strings.Contains(text, "://") && strings.Contains(text, "@") {
		text = urlPassword.ReplaceAllString(text, "://"+Masked+"@")
	}
	if strings.Contains(text, "eyJ") {
		text = signedToken.ReplaceAllString(text, Masked)
	}
	return maskGenerated(text)
}

// maskGenerated replaces runs of base64url that look like a generated secret, or like one
// with other text before or after it. Most texts have no run of this length, so it reads
// only few of their bytes.
func maskGenerated(text string) string {
	var masked strings.Builder
	from := 0 // text before it is in masked already
	for start := 0; start+secretLength <= len(text); {
		end := start + secretLength
		for end > start && classOf(text[end-1]) != none {
			end--
		}
		if end > start { // the next run that can be long enough begins after the last byte that is not base64url
			start = end
			continue
		}
		end = start + secretLength
		for end < len(text) && classOf(text[end]) != none {
			end++
		}
		if looksGenerated(text[start:end]) {
			masked.WriteString(text[from:start])
			masked.WriteString(Masked)
			from = end
		}
		start = end + 1
	}
	if from == 0 {
		return text
	}
	masked.WriteString(text[from:])
	return masked.String()
}

// class is a class of characters of base64url.
type class byte

const (
	none class = iota // not base64url
	capital
	small
	digit
	mark
)

func classOf(c byte) class { return classes[c] }

var classes = func() (of [256]class) {
	for c := range of {
		switch {
		case 'A' <= c && c <= 'Z':
			of[c] = capital
		case 'a' <= c && c <= 'z':
			of[c] = small
		case '0' <= c && c <= '9':
			of[c] = digit
		case c == '-' || c == '_':
			of[c] = mark
		}
	}
	return of
}()

// looksGenerated reports whether the run of base64url is a generated secret or contains
// one. It has capital and small letters and digits and, unless its length is that of a
// secret, changes between the classes as often as random text does: in 65 of 100 places
// on average. A long file name changes in about 40.
func looksGenerated(run string) bool {
	if len(run) < secretLength {
		return false
	}
	var found [mark + 1]bool
	changes := 0
	for i := range len(run) {
		found[classOf(run[i])] = true
		if i > 0 && classOf(run[i]) != classOf(run[i-1]) {
			changes++
		}
	}
	if !found[capital] || !found[small] || !found[digit] {
		return false
	}
	switch len(run) {
	case secretLength, refreshLength, uploadLength:
		return true
	}
	return changes*100 >= 45*(len(run)-1)
}
