// Package mail reads messages: files in the Internet Message Format (EML) and
// Outlook messages (MSG), with their header, their text and their attachments.
//
// In November 2026, enmime v2.3.0 behind a limit on boundaries and parts was measured as a
// replacement for the reader of EML. It read 14 intact mails equally well, but only 82 % of
// the words of 560 damaged ones. A file name in 100,000 pieces took over 10 s of CPU time
// instead of 0.02 s, and 4 MB of invalid base64 took 380 MB of memory instead of 20 MB.
package mail

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/decode"
	"understudy.example/internal/document/text"
)

// ReadEML reads a message: its header, its text, then the files attached.
func ReadEML(f *content.File) error {
	data, err := f.Bytes()
	if err != nil {
		return err
	}
	transcoded := decode.UTF16(data) != nil
	if transcoded {
		data = []byte(decode.Text(data, ""))
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	h, body := splitHeader(data)
	f.Mail = h.mail()
	if f.Name == "" {
		f.Name = f.Mail.Subject
	}
	p := &mimeParser{}
	m := &message{file: f, transcoded: transcoded}
	m.addBody(p.parse(h, body, 0))
	if m.err != nil {
		return m.err
	}
	if p.leftOut != "" {
		f.AddNote(content.Limit, p.leftOut)
	}
	m.entity, m.html = nil, nil
	for i, attachment := range m.attachments {
		if err := m.attach(attachment, i+1); err != nil {
			return err
		}
	}
	return nil
}

// message adds the entities of a mail to its part.
type message struct {
	file        *content.File
	transcoded  bool // the whole mail was in UTF-16, so declared character sets do not apply
	attachments []*entity
	err         error

	entity *entity    // the last one whose HTML was needed
	html   *text.HTML // its page
}

// addBody adds the text of an entity to the part and collects the attachments.
func (m *message) addBody(e *entity) {
	switch {
	case m.err != nil:
	case e.mediaType == "multipart/alternative":
		chosen := m.choose(e.children)
		for _, child := range e.children {
			if child == chosen {
				m.addBody(child)
			} else {
				m.collectAttachments(child)
			}
		}
	case len(e.children) > 0:
		for _, child := range e.children {
			m.addBody(child)
		}
	case strings.HasPrefix(e.mediaType, "multipart/"):
	case e.isText():
		m.addText(e)
	default:
		m.collectAttachments(e)
	}
}

// collectAttachments collects the attachments of an entity whose text is not used.
func (m *message) collectAttachments(e *entity) {
	for _, child := range e.children {
		m.collectAttachments(child)
	}
	signature := e.mediaType == "application/pkcs7-signature" || e.mediaType == "application/x-pkcs7-signature" || e.mediaType == "application/pgp-signature"
	if len(e.children) == 0 && !e.isText() && !strings.HasPrefix(e.mediaType, "multipart/") && !signature {
		m.attachments = append(m.attachments, e)
	}
}

// isText reports whether an entity is text that belongs to the mail rather than
// an attached file.
func (e *entity) isText() bool {
	disposition, _ := parameters(e.header.get("content-disposition"))
	if disposition == "attachment" || e.fileName() != "" {
		return false
	}
	return strings.HasPrefix(e.mediaType, "text/") && e.mediaType != "text/calendar" && e.mediaType != "text/csv" || e.mediaType == "message/delivery-status"
}

func (e *entity) fileName() string {
	_, params := parameters(e.header.get("content-disposition"))
	if name := params["filename"]; name != "" {
		return name
	}
	return e.params["name"]
}

// choose returns one of several forms of the same text: the plain one, or the
// HTML when the plain one is empty, says little, or has lost a table of the HTML.
func (m *message) choose(forms []*entity) *entity {
	var html, plain *entity
	for _, form := range forms {
		first := form.firstText()
		switch {
		case first == nil:
		case first.mediaType == "text/html":
			html = form
		case plain == nil && strings.TrimSpace(m.decoded(first)) != "":
			plain = form
		}
	}
	if plain == nil || html == nil {
		return cmp.Or(plain, html)
	}
	if page := m.page(html.firstText()); page.HasValueTable() || page.SaysMore(m.decoded(plain.firstText())) {
		return html
	}
	return plain
}

// firstText returns the first entity that is text, which may be the entity itself.
func (e *entity) firstText() *entity {
	if len(e.children) == 0 && e.isText() {
		return e
	}
	for _, child := range e.children {
		if first := child.firstText(); first != nil {
			return first
		}
	}
	return nil
}

// decoded returns the text of an entity.
func (m *message) decoded(e *entity) string {
	charset := e.params["charset"]
	if m.transcoded {
		charset = ""
	}
	return decode.Text(e.content(), charset)
}

// page returns the HTML of an entity. It keeps the last one, which is needed again when it is
// added, and at each level of nested alternatives.
func (m *message) page(e *entity) *text.HTML {
	if m.entity != e {
		m.entity, m.html = e, text.NewHTML(m.file, m.decoded(e))
	}
	return m.html
}

func (m *message) addText(e *entity) {
	if e.mediaType == "text/html" {
		m.err = m.page(e).Add(true)
		return
	}
	body := m.decoded(e)
	start := strings.ToLower(strings.TrimSpace(body[:min(len(body), 4096)]))
	if e.mediaType == "text/plain" && text.LooksLikeHTML(start, "") {
		m.err = m.page(e).Add(true)
		return
	}
	lines := decode.Lines(body)
	if strings.EqualFold(e.params["format"], "flowed") {
		lines = unflow(body, strings.EqualFold(e.params["delsp"], "yes"))
	}
	m.err = text.AddLines(m.file, lines, true)
}

// attach reads an attachment. One without a name is named by its number, which
// counts from 1.
func (m *message) attach(e *entity, number int) error {
	name, data, as := e.fileName(), e.content(), content.Reader{}
	switch {
	case e.mediaType == "message/rfc822" || e.mediaType == "message/global":
		as = content.Reader{Format: content.EML, Read: ReadEML}
		if name == "" {
			h, _ := splitHeader(data)
			name = decodeWords(h.get("subject"))
		}
	case e.mediaType == "text/csv" && strings.ToLower(path.Ext(name)) != ".csv":
		as = content.Reader{Format: content.CSV, Read: text.ReadCSV}
	}
	if name == "" {
		name = fmt.Sprintf("attachment %d", number)
	}
	return m.file.AttachAs(name, data, as)
}
