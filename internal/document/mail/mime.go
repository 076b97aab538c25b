package mail

import (
	"bytes"
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
	header    header
	mediaType string // in lower case
	params    map[string]string
	body      []byte // of a leaf, still encoded
	children  []*entity
}

// mimeParser splits a mail into its entities. Every level reads its own bytes
// once, so the time is at most the size times the number of levels.
type mimeParser struct {
	parts   int
	leftOut string // why entities were skipped; empty if none were
}

// parse returns the entity of a header and a body, at a depth of multiparts.
func (p *mimeParser) parse(h header, body []byte, depth int) *entity {
	e := &entity{header: h}
	e.mediaType, e.params = parameters(h.get("content-type"))
	if e.mediaType == "" {
		e.mediaType = "text/plain"
	}
	boundary := e.params["boundary"]
	if !strings.HasPrefix(e.mediaType, "multipart/") || boundary == "" {
		if strings.HasPrefix(e.mediaType, "multipart/") {
			e.mediaType = "text/plain"
		}
		e.body = body
		return e
	}
	if depth >= maxMIMEDepth {
		p.leftOut = fmt.Sprintf("parts nested more than %d deep were skipped", maxMIMEDepth)
		return e
	}
	for _, part := range p.split(body, boundary) {
		if len(bytes.TrimSpace(part)) == 0 {
			continue
		}
		h, rest := splitHeader(part)
		if len(h) == 0 || part[0] == '\n' || part[0] == '\r' {
			h, rest = nil, part
			if line, below := cutLine(part); len(line) == 0 {
				rest = below
			}
		}
		e.children = append(e.children, p.parse(h, rest, depth+1))
	}
	return e
}

// split splits the body of a multipart at its boundary lines. The last boundary
// may be missing.
func (p *mimeParser) split(body []byte, boundary string) [][]byte {
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
				if p.parts++; p.parts > maxMIMEParts {
					p.leftOut = fmt.Sprintf("more than %d parts: the rest was skipped", maxMIMEParts)
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
