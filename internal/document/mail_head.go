package document

import (
	"bytes"
	"io"
	"mime"
	"net/mail"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"golang.org/x/net/html/charset"
)

const maxHeadFields = 2_000

// header is the head of a mail or of one of its parts, in the order written.
type header []headField

type headField struct {
	name  string
	value []byte // unfolded
}

// get gives the first field of a name (in lower case), unfolded.
func (h header) get(name string) string {
	for _, f := range h {
		if f.name == name {
			return string(f.value)
		}
	}
	return ""
}

var (
	fieldName  = regexp.MustCompile(`^[!-9;-~]{1,80}[ \t]*:`)
	knownNames = map[string]int{
		"from": 1, "to": 1, "subject": 1, "date": 1, "cc": 1, "sent": 1, "reply-to": 1, "sender": 1,
		"mime-version": 2, "received": 2, "message-id": 2, "return-path": 2, "delivered-to": 2, "content-type": 2,
		"content-transfer-encoding": 2, "x-mailer": 2, "dkim-signature": 2, "x-original-to": 2, "x-unsent": 2,
	}
)

// looksLikeMail reports whether the text starts with the head of a mail. Where
// the file name says so, a single known field is enough.
func looksLikeMail(head []byte, named bool) bool {
	fields, _ := splitHead(head)
	weight, seen := 0, map[string]bool{}
	for _, f := range fields {
		if !seen[f.name] {
			weight += knownNames[f.name]
			seen[f.name] = true
		}
	}
	return weight >= 3 && (weight > len(seen) || seen["from"] && seen["subject"]) || named && weight > 0
}

// splitHead parts a mail into head and body. Blank lines and mbox lines before
// the head are passed over; a line that is no field ends it.
func splitHead(data []byte) (header, []byte) {
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
			if last := &h[len(h)-1]; len(last.value) < 64<<10 {
				last.value = append(append(last.value, ' '), strings.TrimSpace(text)...)
			}
		case fieldName.MatchString(text):
			name, value, _ := strings.Cut(text, ":")
			if len(h) < maxHeadFields {
				h = append(h, headField{strings.ToLower(strings.TrimSpace(name)), []byte(strings.TrimSpace(value))})
			}
		default:
			return h, data
		}
		data = rest
	}
	return h, nil
}

// cutLine takes the first line off, whatever its line end.
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

var words = mime.WordDecoder{CharsetReader: func(label string, in io.Reader) (io.Reader, error) {
	return charset.NewReaderLabel(label, in)
}}

// decodeWords gives a field's value with its encoded words decoded.
func decodeWords(s string) string {
	s = decode([]byte(s), "")
	if out, err := words.DecodeHeader(s); err == nil {
		s = out
	}
	return strings.Join(strings.Fields(s), " ")
}

// addresses gives a list of addresses in the form `Name <a@b.c>`, or the text
// as it stands when it is no list of addresses.
func addresses(s string) string {
	parser := mail.AddressParser{WordDecoder: &words}
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

func mailHead(h header) *Mail {
	date := h.get("date")
	if date == "" {
		date = h.get("sent")
	}
	return &Mail{
		From:    addresses(h.get("from")),
		To:      addresses(h.get("to")),
		Cc:      addresses(h.get("cc")),
		Subject: decodeWords(h.get("subject")),
		Date:    decodeWords(date),
	}
}

var (
	param   = regexp.MustCompile(`;\s*([^\s=;"]+)\s*=\s*("(?:[^"\\]|\\.)*"?|[^;]*)`)
	escaped = regexp.MustCompile(`\\(.)`)
)

// parameters reads a field such as `text/plain; charset="utf-8"`, forgiving
// what mime.ParseMediaType refuses: double fields, missing quotes, encoded
// words, any charset in the RFC 2231 form.
func parameters(field string) (value string, params map[string]string) {
	value, _, _ = strings.Cut(field, ";")
	params = map[string]string{}
	pieces := map[string]map[int]string{}
	for _, m := range param.FindAllStringSubmatch(field, 50) {
		name, text := strings.ToLower(m[1]), strings.TrimSpace(m[2])
		if strings.HasPrefix(text, `"`) {
			text = escaped.ReplaceAllString(strings.TrimSuffix(text[1:], `"`), "$1")
		}
		base, number, extended := strings.Cut(name, "*")
		if !extended {
			if _, twice := params[name]; !twice {
				params[name] = decodeWords(text)
			}
			continue
		}
		n, _ := strconv.Atoi(strings.TrimSuffix(number, "*"))
		if pieces[base] == nil {
			pieces[base] = map[int]string{}
		}
		pieces[base][n] = text
	}
	for base, list := range pieces {
		params[base] = joinPieces(list)
	}
	return strings.ToLower(strings.TrimSpace(value)), params
}

// joinPieces puts an RFC 2231 value together: charset'language'%41%42.
func joinPieces(pieces map[int]string) string {
	var order []int
	for n := range pieces {
		order = append(order, n)
	}
	sort.Ints(order)
	joined, label := "", ""
	for _, n := range order {
		joined += pieces[n]
	}
	if parts := strings.SplitN(joined, "'", 3); len(parts) == 3 {
		label, joined = parts[0], parts[2]
	}
	return decode(decodeHexes([]byte(joined), '%'), label)
}
