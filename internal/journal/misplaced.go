package journal

import (
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"understudy.example/internal/api"
)

// IsSecret reports whether the text is a secret or an API key of the client. It executes
// no SQL statement.
type IsSecret func(clientID, text string) bool

// Limits of the search for misplaced secrets. A text that is shorter than minSecret could
// be an ordinary word.
const (
	minSecret = 8   // bytes
	maxSecret = 200 // bytes
	maxWords  = 200 // of one call, because each one costs about a microsecond
	maxParts  = 200 // parts of the words of one call
	maxJoined = 4   // neighbouring parts of a word that can together be a secret
)

// Characters that end a word, and characters that end a part of a word. A secret can
// contain the latter.
const (
	longWordEnds = " \t\r\n\""
	wordEnds     = longWordEnds + "'&?,;{}[]()<>|"
	partEnds     = "=:@/"
)

// The same characters as tables, because every byte of a body is looked up.
var endsLongWord, endsWord, endsPart = tableOf(longWordEnds), tableOf(wordEnds), tableOf(partEnds)

func tableOf(characters string) (table [256]bool) {
	for i := range len(characters) {
		table[characters[i]] = true
	}
	return table
}

// misplaced are the secrets that a client has sent in places where none belongs. Secrets
// that somebody has chosen cannot be recognised by their form, so the words of the request
// are compared with those of the client.
type misplaced []string

// search is a search for the secrets of a client.
type search struct {
	is           IsSecret
	clientID     string
	found        misplaced
	words, parts int // numbers of words and parts that have been compared
}

// findMisplaced returns the client's secrets among the words of the path, the query, the
// headers and the body.
func (is IsSecret) findMisplaced(e exchange) misplaced {
	if is == nil || e.ClientID == "" {
		return nil
	}
	s := search{is: is, clientID: e.ClientID}
	fixed := strings.Split(e.request.Pattern, "/")
	for segment := range strings.SplitSeq(e.request.URL.EscapedPath(), "/") {
		if !slices.Contains(fixed, segment) {
			s.text(unescape(segment, url.PathUnescape))
		}
	}
	if path := e.request.URL.Path; strings.ContainsAny(path, partInPath) {
		s.text(path)
	}
	s.form(e.request.URL.RawQuery)
	for name, values := range e.request.Header {
		if !slices.Contains(ordinaryHeaders, name) && !isSecretHeader(name) {
			for _, value := range values {
				s.text(value)
			}
		}
	}
	body := string(e.requestBody)
	if strings.HasPrefix(e.request.Header.Get("Content-Type"), formType) && strings.ContainsAny(body, "%+") {
		s.form(body)
	}
	s.text(body)
	s.escaped(body)
	return s.found
}

// partInPath are characters that few paths contain. A path with one of them is also searched as a whole, because a secret
// after such a character can itself contain slashes.
const partInPath = ";=&,"

// formType is the content type of URL-encoded forms.
const formType = "application/x-www-form-urlencoded"

// ordinaryHeaders are headers that are not searched, because HTTP libraries set them.
var ordinaryHeaders = []string{"Accept-Encoding", "Connection", "Content-Length", "Host"}

// unescape returns the text without escapes, or the text itself if they are malformed.
func unescape(text string, unescape func(string) (string, error)) string {
	if plain, err := unescape(text); err == nil {
		return plain
	}
	return text
}

// form searches the names and the values of a URL-encoded form.
func (s *search) form(text string) {
	for field := range strings.SplitSeq(text, "&") {
		if s.isOver() {
			return
		}
		name, value, _ := strings.Cut(field, "=")
		s.text(unescape(name, url.QueryUnescape))
		s.text(unescape(value, url.QueryUnescape))
	}
}

// escaped searches the JSON strings of a text that contain escapes, because libraries differ in which characters
// they escape. A string in which it finds a secret is masked as a whole.
func (s *search) escaped(text string) {
	for last := strings.LastIndexByte(text, '\\'); !s.isOver(); {
		start := strings.IndexByte(text, '"')
		if start < 0 || start > last {
			return
		}
		end := stringEnd(text, start)
		literal := text[start:end]
		text, last = text[end:], last-end
		if !strings.Contains(literal, `\`) {
			continue
		}
		plain, written := unquote(literal), strings.TrimSuffix(literal[1:], `"`)
		inner := search{is: s.is, clientID: s.clientID, words: s.words, parts: s.parts}
		inner.text(plain)
		inner.escaped(plain) // JSON in a JSON string
		s.words, s.parts = inner.words, inner.parts
		if len(inner.found) > 0 {
			s.found = append(append(s.found, inner.found...), written)
		}
	}
}

// text searches the text, its words and the parts of its words. It also searches the longer words that
// end only at spaces and quotation marks, because a secret can contain the other characters of wordEnds.
func (s *search) text(text string) {
	s.compare(text, &s.words, maxWords)
	for long := range strings.FieldsFuncSeq(text, func(r rune) bool { return r < 256 && endsLongWord[r] }) {
		ends := 0
		for word := range strings.FieldsFuncSeq(long, func(r rune) bool { return r < 256 && endsWord[r] }) {
			if s.isOver() {
				return
			}
			if word != text {
				s.compare(word, &s.words, maxWords)
			}
			if len(word) > minSecret {
				s.partsOf(word)
			}
			ends++
		}
		if ends > 1 {
			if long != text {
				s.compare(long, &s.words, maxWords)
			}
			s.partsOf(long)
		}
	}
}

// partsOf searches the parts of the word. Up to maxJoined neighbouring parts, and all parts
// from one to the end, are also tried together, because a secret can contain the characters
// that end parts.
func (s *search) partsOf(word string) {
	var starts [maxJoined]int // of the last parts; the one with number n is at n % maxJoined
	last := 0                 // number of the last part
	for end := range len(word) {
		if !endsPart[word[end]] {
			continue
		}
		for n := max(0, last-maxJoined+1); n <= last; n++ {
			s.compare(word[starts[n%maxJoined]:end], &s.parts, maxParts)
		}
		if s.parts >= maxParts {
			return
		}
		last++
		starts[last%maxJoined] = end + 1
	}
	for start := max(1, len(word)-maxSecret); start < len(word) && last > 0; start++ {
		if endsPart[word[start-1]] {
			s.compare(word[start:], &s.parts, maxParts)
		}
	}
}

// isOver reports whether as many words and parts have been compared as the limits allow.
func (s *search) isOver() bool { return s.words >= maxWords && s.parts >= maxParts }

// compare compares the text with the client's secrets, unless as many texts have been
// compared as the limit allows.
func (s *search) compare(text string, compared *int, limit int) {
	if len(text) < minSecret || len(text) > maxSecret || *compared >= limit || isUUID(text) || slices.Contains(s.found, text) {
		return
	}
	if *compared++; s.is(s.clientID, text) {
		s.found = append(s.found, text)
	}
}

func isUUID(text string) bool {
	if len(text) < len(uuid.UUID{})*2 { // most words end here and need no parsing
		return false
	}
	_, err := uuid.Parse(text)
	return err == nil
}

// mask replaces the secrets in the text, also those that are escaped.
func (m misplaced) mask(text string) string {
	for _, secret := range m {
		quoted := quote(secret)
		for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret), quoted[1 : len(quoted)-1]} {
			text = strings.ReplaceAll(text, form, api.Masked)
		}
	}
	return text
}

// maskBytes is mask for bytes.
func (m misplaced) maskBytes(text []byte) []byte {
	if len(m) == 0 {
		return text
	}
	return []byte(m.mask(string(text)))
}
