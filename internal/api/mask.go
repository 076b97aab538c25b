package api

import "strings"

// Masked replaces a secret.
const Masked = "***"

// The lengths of the secrets that the server generates, in base64url: client secrets and
// API keys (32 bytes), refresh tokens (52), and the data of upload URLs (72).
const (
	secretLength  = 43
	refreshLength = 70
	uploadLength  = 96
)

// Mask replaces the secrets in a text that can be recognised by their form: the data of an upload
// URL, the credentials in a URL, signed tokens and generated secrets. It is for text from clients
// that is shown in the log, the journal or a hint, because clients sometimes put secrets in wrong
// places. It costs as much as reading the text a few times, whatever the text contains.
func Mask(text string) string {
	text = maskEach(text, "data=", "data="+Masked, endOfUploadData)
	text = maskEach(text, "://", "://"+Masked+"@", endOfCredentials)
	text = maskEach(text, "eyJ", Masked, endOfToken)
	return maskGenerated(text)
}

// maskEach replaces each secret that begins with start. endOf returns where the secret at a position
// of the text ends, or 0 if there is none.
func maskEach(text, start, masked string, endOf func(text string, at int) (end int)) string {
	var out strings.Builder
	from := 0 // text before it is in out already
	for at := 0; ; {
		next := strings.Index(text[at:], start)
		if next < 0 {
			break
		}
		at += next
		end := endOf(text, at)
		if end == 0 {
			at += len(start)
			continue
		}
		out.WriteString(text[from:at])
		out.WriteString(masked)
		from, at = end, end
	}
	if from == 0 {
		return text
	}
	out.WriteString(text[from:])
	return out.String()
}

// endOfUploadData returns the end of the data of an upload URL: at least 16 characters of base64url
// or of its escaped form after data=.
func endOfUploadData(text string, at int) int {
	if inWord(text, at) {
		return 0
	}
	start := at + len("data=")
	end := start
	for end < len(text) && (classOf(text[end]) != none || text[end] == '%') {
		end++
	}
	if end-start < 16 {
		return 0
	}
	return end
}

// endOfCredentials returns the end of the credentials of a URL, which are between :// and @.
func endOfCredentials(text string, at int) int {
	start := at + len("://")
	end := strings.IndexAny(text[start:], "/@\"' \t\n\f\r")
	if end < 0 || text[start+end] != '@' {
		return 0
	}
	return start + end + 1
}

// endOfToken returns the end of a signed token: base64url that begins with eyJ, which is how an
// encoded JSON object begins, and up to two further parts after dots.
func endOfToken(text string, at int) int {
	if inWord(text, at) {
		return 0
	}
	end := endOfRun(text, at)
	if end-at < len("eyJ")+8 {
		return 0
	}
	for range 2 {
		if end < len(text) && text[end] == '.' {
			end = endOfRun(text, end+1)
		}
	}
	return end
}

// endOfRun returns the end of the base64url at a position.
func endOfRun(text string, at int) int {
	for at < len(text) && classOf(text[at]) != none {
		at++
	}
	return at
}

// inWord reports whether the character before the position is a letter, a digit or an underscore.
func inWord(text string, at int) bool {
	return at > 0 && text[at-1] != '-' && classOf(text[at-1]) != none
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
// on average. A long file name changes in about 40. Words before or after a secret can make the changes
// rarer, so each stretch of a secret's length at the beginning, at the end or after a mark is examined too.
func looksGenerated(run string) bool {
	if len(run) < secretLength {
		return false
	}
	switch len(run) {
	case secretLength, refreshLength, uploadLength:
		return looksRandom(run, 0)
	}
	if looksRandom(run, oftenChanges) {
		return true
	}
	for start := range len(run) - secretLength + 1 {
		between := start > 0 && start+secretLength < len(run)
		if (!between || classOf(run[start-1]) == mark) && looksRandom(run[start:start+secretLength], oftenChanges) {
			return true
		}
	}
	return false
}

const oftenChanges = 45 // of 100 places

// looksRandom reports whether the run has capital and small letters and digits, and changes between the classes in at
// least often of 100 places.
func looksRandom(run string, often int) bool {
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
	return changes*100 >= often*(len(run)-1)
}

// maxLoggedPath is the maximum length in bytes of a path in the log.
const maxLoggedPath = 500

// LoggedPath returns a path as it is logged: masked, and cut if it is long, because anybody can send long paths.
func LoggedPath(path string, mask func(string) string) string {
	if path = mask(path); len(path) > maxLoggedPath {
		return strings.ToValidUTF8(path[:maxLoggedPath], "") + "…"
	}
	return path
}
