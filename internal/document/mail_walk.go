package document

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
)

// Limits of one mail.
const (
	maxMIMEDepth = 10
	maxMIMEParts = 1_000
)

// entity is a node of a mail: a multipart with its children, or a leaf.
type entity struct {
	head     header
	kind     string // the media type, lower case
	params   map[string]string
	body     []byte // of a leaf, still encoded
	children []*entity
}

// mimeWalk cuts a mail into its parts. Every level reads its own bytes once,
// so that the time is at most the size times the levels.
type mimeWalk struct {
	parts int
	cut   string // what was left out
}

func (w *mimeWalk) entity(h header, body []byte, depth int) *entity {
	e := &entity{head: h}
	e.kind, e.params = parameters(h.get("content-type"))
	if e.kind == "" {
		e.kind = "text/plain"
	}
	boundary := e.params["boundary"]
	if !strings.HasPrefix(e.kind, "multipart/") || boundary == "" {
		if strings.HasPrefix(e.kind, "multipart/") {
			e.kind = "text/plain"
		}
		e.body = body
		return e
	}
	if depth >= maxMIMEDepth {
		w.cut = fmt.Sprintf("parts nested more than %d deep left out", maxMIMEDepth)
		return e
	}
	for _, part := range w.split(body, boundary) {
		if len(bytes.TrimSpace(part)) == 0 {
			continue
		}
		head, rest := splitHead(part)
		if len(head) == 0 || part[0] == '\n' || part[0] == '\r' {
			head, rest = nil, part
			if line, below := cutLine(part); len(line) == 0 {
				rest = below
			}
		}
		e.children = append(e.children, w.entity(head, rest, depth+1))
	}
	return e
}

// split cuts the body of a multipart at its boundary lines. A missing last
// boundary is forgiven.
func (w *mimeWalk) split(body []byte, boundary string) [][]byte {
	mark := []byte("--" + boundary)
	var parts [][]byte
	start := -1
	for at := 0; at < len(body); {
		line, rest := cutLine(body[at:])
		next := len(body) - len(rest)
		if bytes.HasPrefix(line, mark) {
			end := bytes.TrimSpace(line[len(mark):])
			if len(end) == 0 || bytes.HasPrefix(end, []byte("--")) {
				if start >= 0 {
					parts = append(parts, body[start:at])
				}
				if start = next; len(end) > 0 {
					return parts
				}
				if w.parts++; w.parts > maxMIMEParts {
					w.cut = fmt.Sprintf("more than %d parts: the rest left out", maxMIMEParts)
					return parts
				}
			}
		}
		at = next
	}
	if start >= 0 && start < len(body) {
		parts = append(parts, body[start:])
	}
	return parts
}

// content decodes the transfer encoding of a leaf, passing over damage.
func (e *entity) content() []byte {
	encoding, _, _ := strings.Cut(strings.ToLower(e.head.get("content-transfer-encoding")), ";")
	switch strings.TrimSpace(encoding) {
	case "base64":
		return decodeBase64(e.body)
	case "quoted-printable":
		return decodeQuotedPrintable(e.body)
	}
	return e.body
}

func decodeBase64(in []byte) []byte {
	clean := make([]byte, 0, len(in))
	for _, c := range in {
		switch {
		case c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/':
			clean = append(clean, c)
		case c == '=':
			// Padding in the middle: two encoded pieces after each other.
			clean = clean[:len(clean)-boolInt(len(clean)%4 == 1)]
			for len(clean)%4 != 0 {
				clean = append(clean, 'A')
			}
		}
	}
	padded := bytes.TrimRight(in, "\r\n \t")
	lost := 0
	if bytes.HasSuffix(padded, []byte("==")) {
		lost = 2
	} else if bytes.HasSuffix(padded, []byte("=")) {
		lost = 1
	}
	if len(clean)%4 == 1 {
		clean = clean[:len(clean)-1]
	}
	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(clean)))
	n, _ := base64.RawStdEncoding.Decode(out, clean)
	return out[:max(0, n-lost)]
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func decodeQuotedPrintable(in []byte) []byte {
	var out bytes.Buffer
	out.Grow(len(in))
	for len(in) > 0 {
		line, rest := cutLine(in)
		end := in[len(line) : len(in)-len(rest)]
		line = bytes.TrimRight(line, " \t")
		if soft, ok := bytes.CutSuffix(line, []byte("=")); ok {
			line, end = soft, nil
		}
		out.Write(decodeHexes(line, '='))
		out.Write(end)
		in = rest
	}
	return out.Bytes()
}

// decodeHexes decodes a mark followed by two hexadecimal digits; anything else
// stays as it is.
func decodeHexes(in []byte, mark byte) []byte {
	if bytes.IndexByte(in, mark) < 0 {
		return in
	}
	out := make([]byte, 0, len(in))
	for i := 0; i < len(in); i++ {
		if in[i] == mark && i+2 < len(in) {
			high, low := hexDigit(in[i+1]), hexDigit(in[i+2])
			if high >= 0 && low >= 0 {
				out = append(out, byte(high<<4|low))
				i += 2
				continue
			}
		}
		out = append(out, in[i])
	}
	return out
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
