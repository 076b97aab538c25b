package object

import (
	"bytes"
	"math"
	"strconv"

	"understudy.example/internal/document/decode"
)

// Kind says what a token is.
type Kind byte

// Kinds of tokens.
const (
	End Kind = iota
	NumberToken
	StringToken
	NameToken
	Keyword // or an operator, in a content stream
	OpenArray
	CloseArray
	OpenDict
	CloseDict
	Stray // a bracket that has no meaning where it is
)

// Token is a token of a file, a content stream or a character map.
type Token struct {
	Kind   Kind
	Number float64
	Text   []byte // of a string, name or keyword
}

// Scanner reads the tokens of data, from a position.
type Scanner struct {
	Data []byte
	At   int
}

// IsSpace reports whether a byte is whitespace.
func IsSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

// Next returns the next token.
func (s *Scanner) Next() Token {
	s.skipSpace()
	if s.At >= len(s.Data) {
		return Token{}
	}
	switch c := s.Data[s.At]; c {
	case '(':
		return Token{Kind: StringToken, Text: s.literal()}
	case '/':
		s.At++
		return Token{Kind: NameToken, Text: decode.Hex(s.word(), '#')}
	case '<':
		if s.follows('<') {
			s.At += 2
			return Token{Kind: OpenDict}
		}
		return Token{Kind: StringToken, Text: s.hex()}
	case '>':
		if s.follows('>') {
			s.At += 2
			return Token{Kind: CloseDict}
		}
		s.At++
		return Token{Kind: Stray}
	case '[':
		s.At++
		return Token{Kind: OpenArray}
	case ']':
		s.At++
		return Token{Kind: CloseArray}
	case ')', '{', '}':
		s.At++
		return Token{Kind: Stray}
	}
	word := s.word()
	if n, ok := parseNumber(word); ok {
		return Token{Kind: NumberToken, Number: n}
	}
	return Token{Kind: Keyword, Text: word}
}

func (s *Scanner) follows(c byte) bool { return s.At+1 < len(s.Data) && s.Data[s.At+1] == c }

// skipSpace skips whitespace and comments.
func (s *Scanner) skipSpace() {
	for s.At < len(s.Data) {
		switch c := s.Data[s.At]; {
		case IsSpace(c):
			s.At++
		case c == '%':
			for s.At < len(s.Data) && s.Data[s.At] != '\n' && s.Data[s.At] != '\r' {
				s.At++
			}
		default:
			return
		}
	}
}

func (s *Scanner) word() []byte {
	start := s.At
	for s.At < len(s.Data) && !IsSpace(s.Data[s.At]) && !isDelimiter(s.Data[s.At]) {
		s.At++
	}
	return s.Data[start:s.At:s.At]
}

func parseNumber(word []byte) (float64, bool) {
	if len(word) == 0 || len(word) > 40 {
		return 0, false
	}
	if len(word) < 10 { // most numbers are short and have only digits
		n, digits := 0, 0
		for _, c := range word {
			if c < '0' || c > '9' {
				break
			}
			n = n*10 + int(c-'0')
			digits++
		}
		if digits == len(word) {
			return float64(n), true
		}
	}
	if !bytes.ContainsAny(word, "0123456789") || bytes.ContainsAny(word, "xXeEpPiInN_") {
		return 0, false
	}
	if word[0] == '-' && len(word) > 1 && word[1] == '-' {
		word = word[1:]
	}
	n, err := strconv.ParseFloat(string(word), 64)
	return n, err == nil && math.Abs(n) < 1e12
}

// literal reads a string in parentheses with its escapes.
func (s *Scanner) literal() []byte {
	s.At++
	start, depth := s.At, 1
	for ; s.At < len(s.Data); s.At++ {
		switch s.Data[s.At] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				s.At++
				return s.Data[start : s.At-1 : s.At-1]
			}
		case '\\':
			return s.escapedLiteral(bytes.Clone(s.Data[start:s.At]), depth)
		}
	}
	return s.Data[start:s.At:s.At]
}

// escapedLiteral reads the rest of a string from its first escape.
func (s *Scanner) escapedLiteral(out []byte, depth int) []byte {
	for ; s.At < len(s.Data); s.At++ {
		c := s.Data[s.At]
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				s.At++
				return out
			}
		case '\\':
			out = s.escape(out)
			continue
		}
		out = append(out, c)
	}
	return out
}

// escapes are the characters that a backslash and a letter stand for.
var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f'}

// escape appends the character that a backslash introduces.
func (s *Scanner) escape(out []byte) []byte {
	s.At++
	if s.At >= len(s.Data) {
		return out
	}
	c := s.Data[s.At]
	switch {
	case c == '\r':
		if s.follows('\n') {
			s.At++
		}
		return out
	case c == '\n':
		return out
	case c >= '0' && c <= '7':
		n := 0
		for i := 0; i < 3 && s.At < len(s.Data) && s.Data[s.At] >= '0' && s.Data[s.At] <= '7'; i++ {
			n = n*8 + int(s.Data[s.At]-'0')
			s.At++
		}
		s.At--
		return append(out, byte(n))
	}
	if special, ok := escapes[c]; ok {
		c = special
	}
	return append(out, c)
}

// hex reads a string of hexadecimal digits.
func (s *Scanner) hex() []byte {
	s.At++
	digits := s.Data[s.At:]
	if i := bytes.IndexByte(digits, '>'); i >= 0 {
		digits = digits[:i]
		s.At++
	}
	s.At += len(digits)
	return hexBytes(digits)
}

// hexBytes decodes hexadecimal digits, and skips all other characters.
func hexBytes(digits []byte) []byte {
	out := make([]byte, 0, len(digits)/2+1)
	high := -1
	for _, c := range digits {
		switch d := decode.HexDigit(c); {
		case d < 0:
		case high < 0:
			high = d
		default:
			out = append(out, byte(high<<4|d))
			high = -1
		}
	}
	if high >= 0 {
		out = append(out, byte(high<<4))
	}
	return out
}
