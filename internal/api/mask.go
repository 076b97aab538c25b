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

// minGenerated is the length of the shortest secret that the server generates: 32 random
// bytes in base64url.
const minGenerated = 43

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

// maskGenerated replaces runs of at least minGenerated characters of base64url that have
// capital and small letters and digits.
func maskGenerated(text string) string {
	var masked strings.Builder
	from := 0 // text before it is in masked already
	for start := 0; start < len(text); {
		end, capital, small, digit := start, false, false, false
		for ; end < len(text); end++ {
			c := text[end]
			isCapital, isSmall, isDigit := 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z', '0' <= c && c <= '9'
			if !isCapital && !isSmall && !isDigit && c != '-' && c != '_' {
				break
			}
			capital, small, digit = capital || isCapital, small || isSmall, digit || isDigit
		}
		if end-start >= minGenerated && capital && small && digit {
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
