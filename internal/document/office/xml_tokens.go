package office

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"io"
	"sync"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// xmlTokens splits XML into tokens. It has a fast path for the form that nearly all tokens
// of Office files have: without entities, in UTF-8, and complete in the buffer. The
// decoder of the standard library, which allocates memory several times for each token,
// reads all others. Both return the same events for the same token.
type xmlTokens struct {
	in      *bufio.Reader
	decoder *xml.Decoder // reads from in, byte by byte
	// decoding means that the next token is the decoder's: it holds the first byte of
	// that token after a text, and the end of an empty element after its start.
	decoding bool
	foreign  bool // the decoder translates all that follows to UTF-8
	empty    bool // the last event started an empty element, and the next one ends it
	last     element
	names    map[string]string
}

func newXMLTokens(in io.Reader) *xmlTokens {
	buffer := buffers.Get().(*bufio.Reader)
	buffer.Reset(in)
	t := &xmlTokens{in: buffer, names: map[string]string{}}
	t.decoder = xml.NewDecoder(t.in)
	t.decoder.Strict = false
	t.decoder.CharsetReader = func(label string, in io.Reader) (io.Reader, error) {
		t.foreign = true
		return charset.NewReaderLabel(label, in)
	}
	return t
}

// buffers holds the buffers of readers that are no longer used.
var buffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 16<<10) }}

// release makes the buffer available to other readers. No event may be used afterwards.
func (t *xmlTokens) release() {
	t.in.Reset(nil)
	buffers.Put(t.in)
}

// next returns the next event. The event of a token that is no element and no text, such
// as a comment, is the zero element. Its attributes and text are valid until the next
// call.
func (t *xmlTokens) next() (element, error) {
	if t.empty {
		t.empty = false
		t.last = element{name: t.last.name, prefix: t.last.prefix, ends: true, attrs: t.last.attrs[:0]}
		return t.last, nil
	}
	if t.decoding || t.foreign || !t.scan() {
		return t.decode()
	}
	return t.last, nil
}

// decode reads a token with the standard library's decoder.
func (t *xmlTokens) decode() (element, error) {
	token, err := t.decoder.RawToken()
	if err != nil {
		return element{}, err
	}
	t.decoding = false
	switch token := token.(type) {
	case xml.StartElement:
		t.decoding = true
		return element{name: token.Name.Local, prefix: token.Name.Space, opens: true, attrs: token.Attr}, nil
	case xml.EndElement:
		return element{name: token.Name.Local, prefix: token.Name.Space, ends: true}, nil
	case xml.CharData:
		t.decoding = true
		return element{text: token}, nil
	}
	return element{}, nil
}

// scan reads a token on the fast path. If the token does not have the simple form, it
// reads nothing and returns false.
func (t *xmlTokens) scan() bool {
	if t.in.Buffered() == 0 {
		_, _ = t.in.Peek(1) // an error is returned to the decoder again
	}
	buffer, _ := t.in.Peek(t.in.Buffered())
	length := 0
	switch {
	case len(buffer) < 2:
		return false
	case buffer[0] != '<':
		length = t.scanText(buffer)
	case buffer[1] == '/':
		length = t.scanEnd(buffer)
	default:
		length = t.scanStart(buffer)
	}
	if length > 0 {
		_, _ = t.in.Discard(length)
	}
	return length > 0
}

func (t *xmlTokens) scanText(buffer []byte) int {
	end := bytes.IndexByte(buffer, '<')
	if end < 0 || !isSimpleText(buffer[:end]) || bytes.Contains(buffer[:end], []byte("]]>")) {
		return 0
	}
	t.last = element{text: buffer[:end], attrs: t.last.attrs[:0]}
	return end
}

func (t *xmlTokens) scanEnd(buffer []byte) int {
	prefix, name, at := t.scanName(buffer, 2)
	if at == 0 || at == len(buffer) || buffer[at] != '>' {
		return 0
	}
	t.last = element{prefix: prefix, name: name, ends: true, attrs: t.last.attrs[:0]}
	return at + 1
}

func (t *xmlTokens) scanStart(buffer []byte) int {
	prefix, name, at := t.scanName(buffer, 1)
	if at == 0 {
		return 0
	}
	e := element{prefix: prefix, name: name, opens: true, attrs: t.last.attrs[:0]}
	for {
		for at < len(buffer) && (buffer[at] == ' ' || buffer[at] == '\n' || buffer[at] == '\t') {
			at++
		}
		switch {
		case len(buffer)-at < 2:
			return 0
		case buffer[at] == '>':
			t.last = e
			return at + 1
		case buffer[at] == '/' && buffer[at+1] == '>':
			t.last, t.empty = e, true
			return at + 2
		}
		var a xml.Attr
		if a.Name.Space, a.Name.Local, at = t.scanName(buffer, at); at == 0 || len(buffer)-at < 3 || buffer[at] != '=' {
			return 0
		}
		quote := buffer[at+1]
		value := buffer[at+2:]
		end := bytes.IndexByte(value, quote)
		if quote != '"' && quote != '\'' || end < 0 || !isSimpleText(value[:end]) || bytes.IndexByte(value[:end], '<') >= 0 {
			return 0
		}
		a.Value = string(value[:end])
		e.attrs = append(e.attrs, a)
		at += 2 + end + 1
	}
}

// scanName reads the name that starts at an index. The index after it is 0 if there is
// no name in ASCII with one prefix at most.
func (t *xmlTokens) scanName(buffer []byte, start int) (prefix, local string, end int) {
	if start == len(buffer) || !firstBytes[buffer[start]] {
		return "", "", 0
	}
	colon := -1
	for end = start; end < len(buffer) && nameBytes[buffer[end]]; end++ {
		if buffer[end] == ':' {
			if colon >= 0 {
				return "", "", 0
			}
			colon = end
		}
	}
	switch colon {
	case -1:
		return "", t.intern(buffer[start:end]), end
	case end - 1:
		return "", "", 0
	}
	return t.intern(buffer[start:colon]), t.intern(buffer[colon+1 : end]), end
}

// intern returns a name as a string. Office files repeat few names.
func (t *xmlTokens) intern(name []byte) string {
	if known, ok := t.names[string(name)]; ok {
		return known
	}
	if len(t.names) == 1000 {
		clear(t.names)
	}
	s := string(name)
	t.names[s] = s
	return s
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

var (
	firstBytes = byteSet(letters)
	nameBytes  = byteSet(letters + "0123456789:-.")
	// notSimple are the bytes that start an entity, that XML does not allow, or that it
	// replaces.
	notSimple = byteSet("&\r\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0c\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f")
)

func byteSet(bytes string) (set [256]bool) {
	for _, b := range []byte(bytes) {
		set[b] = true
	}
	return set
}

// isSimpleText reports whether a text means itself.
func isSimpleText(text []byte) bool {
	ascii := true
	for _, b := range text {
		if notSimple[b] {
			return false
		}
		ascii = ascii && b < utf8.RuneSelf
	}
	return ascii || utf8.Valid(text) && !bytes.Contains(text, []byte("\uFFFE")) && !bytes.Contains(text, []byte("\uFFFF"))
}
