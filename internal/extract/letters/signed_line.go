package letters

import (
	"slices"
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// Limits of the lines of a signature.
const (
	maxSigned   = 120 // bytes of a line that is not divided into pieces
	maxInOne    = 240 // bytes of a whole signature in one line
	minPieces   = 3   // pieces of a whole signature in one line
	maxCityWord = 3   // words of a city after the name of a firm
)

// inPieces matches the marks between the pieces of a signature in one line.
var inPieces = lazyregexp.New(`\t+| {2,}|\s+[|·•–—-]\s+|\s*\|\s*|\s+//\s+`)

// piecesOfSignature splits a line of a signature.
func piecesOfSignature(text string) []string {
	var pieces []string
	for _, piece := range inPieces.Split(text, -1) {
		if piece = strings.TrimSpace(piece); piece == "" {
			continue
		}
		if first, rest, ok := strings.Cut(piece, ", "); ok && len(pieces) == 0 && parse.IsPerson(first) && !parse.LegalAtStart.MatchString(piece) {
			pieces = append(pieces, first)
			piece = rest
		}
		pieces = append(pieces, piece)
	}
	return pieces
}

// signedInLine reports whether a line is a whole signature: the name of a person with two further
// details, of which one is a job title. Only later ones can have labels: "o: 937-555-0199".
func signedInLine(text string) bool {
	if len(text) > maxInOne || !strings.ContainsAny(text, "|·•–—-") || !words.Capital(strings.TrimSpace(text)) {
		return false
	}
	pieces := piecesOfSignature(text)
	if len(pieces) < minPieces || !parse.IsPerson(pieces[0]) || strings.Contains(pieces[0]+pieces[1], ":") {
		return false
	}
	return slices.ContainsFunc(pieces[1:], parse.TitleAndArea.MatchString)
}

// afterTitle returns the firm after the job title with which a piece of a signature begins, and
// whether it begins with one.
func afterTitle(piece string) (firm string, titled bool) {
	title := parse.TitleAndArea.FindString(piece)
	if title == "" {
		return "", false
	}
	rest := strings.TrimSpace(piece[len(title):])
	if !words.Capital(rest) || layout.IsClosing(rest) || !parse.NamesBroker(rest) && !parse.LegalAtStart.MatchString(rest) {
		return "", true
	}
	return withoutCity(rest), true
}

// withoutCity returns the name of a firm without the city and the country after it.
func withoutCity(name string) string {
	if first, _, ok := pairs.CutAt(lazyComma, name); ok && parse.NamesBroker(first) {
		name = first
	}
	fields := strings.Fields(name)
	for n := min(maxCityWord, len(fields)-1); n > 0; n-- {
		before := strings.Join(fields[:len(fields)-n], " ")
		if address.IsCity(strings.Join(fields[len(fields)-n:], " "), "") && parse.NamesBroker(before) {
			return before
		}
	}
	return name
}

var lazyComma = lazyregexp.New(`,\s+`)
