package document

import (
	"bytes"
	"fmt"
	"strings"
)

// readMail reads a message: its head, its text, then the files attached.
func readMail(r *reading, part *Part, src source) error {
	data, err := src.bytes()
	if err != nil {
		return err
	}
	transcoded := utf16Of(data) != nil
	if transcoded {
		data = []byte(decode(data, ""))
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	head, body := splitHead(data)
	part.Mail = mailHead(head)
	if part.Name == "" {
		part.Name = part.Mail.Subject
	}
	w := &mimeWalk{}
	m := &message{r: r, part: part, src: src, transcoded: transcoded}
	m.body(w.entity(head, body, 0))
	if m.err != nil {
		return m.err
	}
	if w.cut != "" {
		part.note(Limit, w.cut)
	}
	for i, file := range m.files {
		if err := m.attach(file, i+1); err != nil {
			return err
		}
	}
	return nil
}

// message puts the entities of a mail into a part.
type message struct {
	r          *reading
	part       *Part
	src        source
	transcoded bool // the whole mail was in UTF-16: charsets no longer apply
	files      []*entity
	err        error
}

// body adds the text of an entity to the part and collects the attachments.
func (m *message) body(e *entity) {
	switch {
	case m.err != nil:
	case e.kind == "multipart/alternative":
		chosen := m.choose(e.children)
		for _, child := range e.children {
			if child == chosen {
				m.body(child)
			} else {
				m.filesOf(child)
			}
		}
	case len(e.children) > 0:
		for _, child := range e.children {
			m.body(child)
		}
	case strings.HasPrefix(e.kind, "multipart/"):
	case e.isText():
		m.text(e)
	default:
		m.filesOf(e)
	}
}

// filesOf collects the attachments of an entity whose text is not wanted.
func (m *message) filesOf(e *entity) {
	for _, child := range e.children {
		m.filesOf(child)
	}
	signature := e.kind == "application/pkcs7-signature" || e.kind == "application/x-pkcs7-signature" || e.kind == "application/pgp-signature"
	if len(e.children) == 0 && !e.isText() && !strings.HasPrefix(e.kind, "multipart/") && !signature {
		m.files = append(m.files, e)
	}
}

// isText reports whether an entity is text to be read with the mail, not a
// file.
func (e *entity) isText() bool {
	disposition, _ := parameters(e.head.get("content-disposition"))
	if disposition == "attachment" || e.fileName() != "" {
		return false
	}
	return strings.HasPrefix(e.kind, "text/") && e.kind != "text/calendar" && e.kind != "text/csv" || e.kind == "message/delivery-status"
}

func (e *entity) fileName() string {
	_, params := parameters(e.head.get("content-disposition"))
	if name := params["filename"]; name != "" {
		return name
	}
	return e.params["name"]
}

// choose takes the plain text of several forms of the same text unless it is
// empty or has lost a table that the HTML has.
func (m *message) choose(forms []*entity) *entity {
	var html, plain *entity
	for _, form := range forms {
		text := form.firstText()
		switch {
		case text == nil:
		case text.kind == "text/html":
			html = form
		case plain == nil && strings.TrimSpace(m.decoded(text)) != "":
			plain = form
		}
	}
	if plain == nil || html != nil && holdsGrid(m.decoded(html.firstText())) {
		return html
	}
	return plain
}

func (e *entity) firstText() *entity {
	if len(e.children) == 0 && e.isText() {
		return e
	}
	for _, child := range e.children {
		if text := child.firstText(); text != nil {
			return text
		}
	}
	return nil
}

func (m *message) decoded(e *entity) string {
	label := e.params["charset"]
	if m.transcoded {
		label = ""
	}
	return decode(e.content(), label)
}

func (m *message) text(e *entity) {
	text := m.decoded(e)
	if e.kind == "text/html" || e.kind == "text/plain" && looksLikeHTML(strings.ToLower(strings.TrimSpace(text[:min(len(text), 4096)])), "") {
		m.err = m.r.html(m.part, text, true)
		return
	}
	lines := splitLines(text)
	if strings.EqualFold(e.params["format"], "flowed") {
		lines = unflow(text, strings.EqualFold(e.params["delsp"], "yes"))
	}
	lines = within(m.part, lines)
	m.err = m.r.lines(m.part, lines, quotedLines(lines, true))
}

// unflow joins the lines of RFC 3676 text that end in a blank.
func unflow(text string, joinWords bool) []string {
	var out []string
	var open strings.Builder
	flowing := false
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		if flowing && strings.HasPrefix(line, ">") != strings.HasPrefix(open.String(), ">") {
			out, flowing = append(out, strings.TrimRight(open.String(), " ")), false
			open.Reset()
		}
		if flowing {
			line = strings.TrimLeft(line, ">")
			line = strings.TrimPrefix(line, " ")
		}
		soft := strings.HasSuffix(line, " ") && line != "-- "
		if soft && joinWords {
			line = line[:len(line)-1]
		}
		open.WriteString(line)
		if flowing = soft; !soft {
			out = append(out, strings.TrimRight(open.String(), " \t\r"))
			open.Reset()
		}
	}
	if open.Len() > 0 {
		out = append(out, strings.TrimRight(open.String(), " "))
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

func (m *message) attach(e *entity, number int) error {
	name, data, as := e.fileName(), e.content(), kind("")
	switch {
	case e.kind == "message/rfc822" || e.kind == "message/global":
		as = kindMail
		if name == "" {
			head, _ := splitHead(data)
			name = decodeWords(head.get("subject"))
		}
	case e.kind == "text/csv" && extension(name) != "csv":
		as = kindCSV
	}
	if name == "" {
		name = fmt.Sprintf("attachment %d", number)
	}
	return m.r.attach(m.src, name, data, as)
}
