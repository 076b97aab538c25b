package pdf

import (
	"bytes"
	"math"
	"strconv"

	"understudy.example/internal/document/decode"
)

// tokenKind says what a token of a content stream is.
type tokenKind byte

const (
	tokenEnd tokenKind = iota
	tokenNumber
	tokenString
	tokenName
	tokenArray
	tokenDict // the content is skipped
	tokenOperator
	tokenClose // the end of an array or dictionary
)

type token struct {
	kind   tokenKind
	number float64
	text   []byte // of a string, name or operator
	list   []token
}

// scanner reads the tokens of a content stream or a character map.
type scanner struct {
	data []byte
	at   int
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool { return bytes.IndexByte([]byte("()<>[]{}/%"), c) >= 0 }

// next returns the next token, at a depth of arrays and dictionaries.
func (s *scanner) next(depth int) token {
	s.skipSpace()
	if s.at >= len(s.data) {
		return token{}
	}
	switch c := s.data[s.at]; c {
	case '(':
		return token{kind: tokenString, text: s.literal()}
	case '/':
		s.at++
		return token{kind: tokenName, text: decode.Hex(s.word(), '#')}
	case '<':
		if s.at+1 < len(s.data) && s.data[s.at+1] == '<' {
			s.at += 2
			s.list(depth)
			return token{kind: tokenDict}
		}
		return token{kind: tokenString, text: s.hex()}
	case '[':
		s.at++
		return token{kind: tokenArray, list: s.list(depth)}
	case ']', '}', ')', '{':
		s.at++
		return token{kind: tokenClose}
	case '>':
		if s.at++; s.at < len(s.data) && s.data[s.at] == '>' {
			s.at++
		}
		return token{kind: tokenClose}
	}
	word := s.word()
	if n, ok := parseNumber(word); ok {
		return token{kind: tokenNumber, number: n}
	}
	return token{kind: tokenOperator, text: word}
}

// skipSpace skips whitespace and comments.
func (s *scanner) skipSpace() {
	for s.at < len(s.data) {
		switch c := s.data[s.at]; {
		case isSpace(c):
			s.at++
		case c == '%':
			for s.at < len(s.data) && s.data[s.at] != '\n' && s.data[s.at] != '\r' {
				s.at++
			}
		default:
			return
		}
	}
}

func (s *scanner) word() []byte {
	start := s.at
	for s.at < len(s.data) && !isSpace(s.data[s.at]) && !isDelimiter(s.data[s.at]) {
		s.at++
	}
	return s.data[start:s.at]
}

// list reads up to the closing bracket. Nesting that is deeper than in any real
// file is flattened.
func (s *scanner) list(depth int) []token {
	if depth > 20 {
		return nil
	}
	var list []token
	for {
		t := s.next(depth + 1)
		if t.kind == tokenEnd || t.kind == tokenClose {
			return list
		}
		list = append(list, t)
	}
}

func parseNumber(word []byte) (float64, bool) {
	if len(word) == 0 || len(word) > 40 || !bytes.ContainsAny(word, "0123456789") || bytes.ContainsAny(word, "xXeEpPiInN_") {
		return 0, false
	}
	if word[0] == '-' && len(word) > 1 && word[1] == '-' {
		word = word[1:]
	}
	n, err := strconv.ParseFloat(string(word), 64)
	return n, err == nil && math.Abs(n) < 1e12
}

// literal reads a string in parentheses with its escapes.
func (s *scanner) literal() []byte {
	var out []byte
	depth := 0
	for ; s.at < len(s.data); s.at++ {
		c := s.data[s.at]
		switch c {
		case '(':
			if depth++; depth == 1 {
				continue
			}
		case ')':
			if depth--; depth == 0 {
				s.at++
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

// escape appends the character that a backslash introduces.
func (s *scanner) escape(out []byte) []byte {
	s.at++
	if s.at >= len(s.data) {
		return out
	}
	switch c := s.data[s.at]; c {
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'b', 'f':
		return out
	case '\r':
		if s.at+1 < len(s.data) && s.data[s.at+1] == '\n' {
			s.at++
		}
		return out
	case '\n':
		return out
	case '0', '1', '2', '3', '4', '5', '6', '7':
		n := 0
		for i := 0; i < 3 && s.at < len(s.data) && s.data[s.at] >= '0' && s.data[s.at] <= '7'; i++ {
			n = n*8 + int(s.data[s.at]-'0')
			s.at++
		}
		s.at--
		return append(out, byte(n))
	default:
		return append(out, c)
	}
}

// hex reads a string of hexadecimal digits.
func (s *scanner) hex() []byte {
	s.at++
	var out []byte
	high := -1
	for ; s.at < len(s.data); s.at++ {
		c := s.data[s.at]
		if c == '>' {
			s.at++
			break
		}
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

// skipImage skips the data of an inline image.
func (s *scanner) skipImage() {
	for s.at < len(s.data) {
		i := bytes.Index(s.data[s.at:], []byte("EI"))
		if i < 0 {
			s.at = len(s.data)
			return
		}
		start := s.at + i
		s.at = start + 2
		if start > 0 && isSpace(s.data[start-1]) && (s.at >= len(s.data) || isSpace(s.data[s.at])) {
			return
		}
	}
}
