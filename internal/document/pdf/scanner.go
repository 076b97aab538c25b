package pdf

import (
	"bytes"

	"understudy.example/internal/document/pdf/object"
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
type scanner struct{ object.Scanner }

func newScanner(data []byte) *scanner { return &scanner{object.Scanner{Data: data}} }

// next returns the next token, at a depth of arrays and dictionaries.
func (s *scanner) next(depth int) token {
	t := s.Next()
	switch t.Kind {
	case object.End:
		return token{}
	case object.NumberToken:
		return token{kind: tokenNumber, number: t.Number}
	case object.StringToken:
		return token{kind: tokenString, text: t.Text}
	case object.NameToken:
		return token{kind: tokenName, text: t.Text}
	case object.OpenArray:
		return token{kind: tokenArray, list: s.list(depth)}
	case object.OpenDict:
		s.list(depth)
		return token{kind: tokenDict}
	case object.Keyword:
		return token{kind: tokenOperator, text: t.Text}
	}
	return token{kind: tokenClose}
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

// skipImage skips the data of an inline image.
func (s *scanner) skipImage() {
	for s.At < len(s.Data) {
		i := bytes.Index(s.Data[s.At:], []byte("EI"))
		if i < 0 {
			s.At = len(s.Data)
			return
		}
		start := s.At + i
		s.At = start + 2
		if start > 0 && object.IsSpace(s.Data[start-1]) && (s.At >= len(s.Data) || object.IsSpace(s.Data[s.At])) {
			return
		}
	}
}
