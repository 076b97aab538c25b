package text

import (
	"strconv"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/decode"
)

// ReadRTF reads the text and the tables of an RTF document.
func ReadRTF(f *content.File) error {
	data, err := f.Bytes()
	if err != nil {
		return err
	}
	if err := addRTF(f, data); err != nil {
		return err
	}
	MarkQuoted(f.Blocks, false)
	if len(f.Blocks) == 0 && f.Note == "" {
		f.AddNote(content.NoText, "no text")
	}
	return nil
}

// AddRTFMail adds the text and the tables of the body of a mail as blocks.
func AddRTFMail(f *content.File, data []byte) error {
	before := len(f.Blocks)
	if err := addRTF(f, data); err != nil {
		return err
	}
	MarkQuoted(f.Blocks[before:], true)
	return nil
}

func addRTF(f *content.File, data []byte) error {
	s := &rtfScanner{data: data, out: newRTFText(f)}
	for n := 0; s.at < len(data) && !s.out.Full; n++ {
		if n%10_000 == 0 && f.Err() != nil {
			return f.Err()
		}
		if !s.step() {
			break
		}
	}
	s.out.endParagraph(false)
	s.out.EndTable()
	return nil
}

// rtfScanner splits an RTF file into groups, control words and characters.
type rtfScanner struct {
	data []byte
	at   int
	out  *rtfText
}

// step reads a brace, a control word or a character. It returns false at the end
// of the document.
func (s *rtfScanner) step() bool {
	c := s.data[s.at]
	s.at++
	switch c {
	case '{':
		return s.out.openGroup()
	case '}':
		return s.out.closeGroup()
	case '\\':
		s.control()
	case '\r', '\n':
	default:
		s.out.character(c)
	}
	return true
}

// control reads what follows a backslash: a symbol, or a word with its number.
func (s *rtfScanner) control() {
	if s.at >= len(s.data) {
		return
	}
	start := s.at
	for s.at < len(s.data) && s.at-start < 40 && (s.data[s.at]|0x20) >= 'a' && (s.data[s.at]|0x20) <= 'z' {
		s.at++
	}
	if s.at == start {
		s.at++
		s.symbol(s.data[start])
		return
	}
	name := string(s.data[start:s.at])
	start = s.at
	for s.at < len(s.data) && s.at-start < 12 && (s.data[s.at] >= '0' && s.data[s.at] <= '9' || s.at == start && s.data[s.at] == '-') {
		s.at++
	}
	number, err := strconv.Atoi(string(s.data[start:s.at]))
	if s.at < len(s.data) && s.data[s.at] == ' ' {
		s.at++
	}
	if s.out.skip > 0 && name != "u" && name != "bin" {
		s.out.skip-- // a control word counts as one character
		return
	}
	binary := s.out.word(name, number, err == nil)
	s.at += min(binary, len(s.data)-s.at)
}

func (s *rtfScanner) symbol(c byte) {
	switch c {
	case '\'':
		if s.at+2 <= len(s.data) {
			if high, low := decode.HexDigit(s.data[s.at]), decode.HexDigit(s.data[s.at+1]); high >= 0 && low >= 0 {
				s.at += 2
				s.out.character(byte(high<<4 | low))
			}
		}
	case '*':
		s.out.group.optional = true
	case '\\', '{', '}':
		s.out.character(c)
	case '~':
		s.out.write(" ")
	case '_':
		s.out.write("-")
	case '\r', '\n':
		s.out.word("par", 0, false)
	}
}
