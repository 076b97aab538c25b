package office

import (
	"encoding/xml"
	"errors"
	"io"

	"understudy.example/internal/document/archive"
)

const (
	maxXMLDepth = 2_000
	maxXMLToken = 8 << 20 // bytes of one tag, text or comment

	// eventCost is the number of unpacked bytes that an event counts as, in addition to
	// its own bytes: a tag of four bytes takes as much time as a text of a hundred
	// bytes.
	eventCost = 16
)

var (
	errXMLDepth = errors.New("XML nested too deeply")
	errXMLToken = errors.New("XML token too long")
)

// tokenMeter fails when the current token is too long: the decoder holds each
// token in memory.
type tokenMeter struct {
	io.Reader
	read  int64
	start int64 // of the current token
}

func (m *tokenMeter) Read(p []byte) (int, error) {
	if m.read-m.start > maxXMLToken {
		return 0, errXMLToken
	}
	n, err := m.Reader.Read(p)
	m.read += int64(n)
	return n, err
}

// element is one event of an XML stream: an opening tag, a closing tag or text.
// Names are without their prefix: Office files use the same local names under
// more than one namespace.
type element struct {
	name   string
	prefix string // as written
	opens  bool
	ends   bool
	text   []byte     // valid until the next event
	attrs  []xml.Attr // valid until the next event
}

func (e element) attr(name string) string {
	for _, a := range e.attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// walkXML calls visit for every event of a stream, until the stream ends or
// visit returns an error. Events count as unpacked bytes of the submission, of which
// left is the number that remains.
func walkXML(in io.Reader, left *int64, visit func(element) error) error {
	m := &tokenMeter{Reader: in}
	tokens := newXMLTokens(m)
	defer tokens.release()
	depth := 0
	for {
		m.start = m.read - int64(tokens.in.Buffered())
		e, err := tokens.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if *left -= eventCost; *left <= 0 {
			return archive.ErrLimit
		}
		switch {
		case e.opens:
			if depth++; depth > maxXMLDepth {
				return errXMLDepth
			}
		case e.ends:
			depth--
		case e.text == nil:
			continue
		}
		if err := visit(e); err != nil {
			return err
		}
	}
}
