package mail

import (
	"bytes"
	"io"
	"mime"
	"net/mail"
	"regexp"
	"strings"

	"golang.org/x/net/html/charset"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/decode"
)

const (
	maxHeaderFields = 2_000
	maxFieldValue   = 64 << 10 // bytes; a line more, if it is folded
)

// header is the header of a mail or of one of its entities, in the order
// written.
type header []headerField

type headerField struct {
	name  string // in lower case
	value []byte // unfolded
}

// get returns the value of the first field of a name, which is in lower case.
func (h header) get(name string) string {
	for _, f := range h {
		if f.name == name {
			return string(f.value)
		}
	}
	return ""
}

var (
	fieldName = regexp.MustCompile(`^[!-9;-~]{1,80}[ \t]*:`)

	// knownFields are the weights of the fields of mails. Fields that are rare in
	// other texts weigh more.
	knownFields = map[string]int{
		"from": 1, "to": 1, "subject": 1, "date": 1, "cc": 1, "sent": 1, "reply-to": 1, "sender": 1,
		"mime-version": 2, "received": 2, "message-id": 2, "return-path": 2, "delivered-to": 2, "content-type": 2,
		"content-transfer-encoding": 2, "x-mailer": 2, "dkim-signature": 2, "x-original-to": 2, "x-unsent": 2,
	}
)

// LooksLikeMail reports whether a text starts with the header of a mail. When the
// file is named as a mail, a single known field is enough.
func LooksLikeMail(start []byte, named bool) bool {
	fields, _ := splitHeader(start)
	weight, seen := 0, map[string]bool{}
	for _, f := range fields {
		if !seen[f.name] {
			weight += knownFields[f.name]
			seen[f.name] = true
		}
	}
	return weight >= 3 && (weight > len(seen) || seen["from"] && seen["subject"]) || named && weight > 0
}

// splitHeader splits a mail into header and body. It skips empty lines and mbox
// lines before the header. A line that is no field ends the header.
func splitHeader(data []byte) (header, []byte) {
	data = bytes.TrimLeft(data, " \t\r\n")
	var h header
	for first := true; len(data) > 0; first = false {
		line, rest := cutLine(data)
		text := string(bytes.TrimRight(line, " \t\r"))
		switch {
		case text == "":
			return h, rest
		case first && (strings.HasPrefix(text, "From ") || strings.HasPrefix(text, ">From ")):
		case (text[0] == ' ' || text[0] == '\t') && len(h) > 0:
			if last := &h[len(h)-1]; len(last.value) < maxFieldValue {
				last.value = append(append(last.value, ' '), strings.TrimSpace(text)...)
			}
		case fieldName.MatchString(text):
			name, value, _ := strings.Cut(text, ":")
			value = strings.TrimSpace(value)
			if len(h) < maxHeaderFields {
				h = append(h, headerField{strings.ToLower(strings.TrimSpace(name)), []byte(value[:min(len(value), maxFieldValue)])})
			}
		default:
			return h, data
		}
		data = rest
	}
	return h, nil
}

// cutLine cuts off the first line, whatever its line end.
func cutLine(data []byte) (line, rest []byte) {
	i := bytes.IndexAny(data, "\r\n")
	if i < 0 {
		return data, nil
	}
	line = data[:i]
	if data[i] == '\r' && i+1 < len(data) && data[i+1] == '\n' {
		i++
	}
	return line, data[i+1:]
}

var wordDecoder = mime.WordDecoder{CharsetReader: func(label string, in io.Reader) (io.Reader, error) {
	return charset.NewReaderLabel(label, in)
}}

// decodeWords returns the value of a field with its encoded words decoded.
func decodeWords(s string) string {
	s = decode.Text([]byte(s), "")
	if out, err := wordDecoder.DecodeHeader(s); err == nil {
		s = out
	}
	return strings.Join(strings.Fields(s), " ")
}

// addresses returns a list of addresses in the form `Name <a@b.c>`, or the
// decoded text when it is no list of addresses.
func addresses(s string) string {
	parser := mail.AddressParser{WordDecoder: &wordDecoder}
	list, err := parser.ParseList(s)
	if err != nil {
		return decodeWords(s)
	}
	var out []string
	for _, a := range list {
		if a.Name == "" {
			out = append(out, a.Address)
			continue
		}
		out = append(out, strings.Join(strings.Fields(a.Name), " ")+" <"+a.Address+">")
	}
	return strings.Join(out, ", ")
}

// mail returns the fields that the model has.
func (h header) mail() *content.Mail {
	date := h.get("date")
	if date == "" {
		date = h.get("sent")
	}
	return &content.Mail{
		From:    addresses(h.get("from")),
		To:      addresses(h.get("to")),
		Cc:      addresses(h.get("cc")),
		Subject: decodeWords(h.get("subject")),
		Date:    decodeWords(date),
	}
}
