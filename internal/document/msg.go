package document

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
)

// The properties of an Outlook message that are read (MS-OXPROPS).
const (
	msgSubject      = 0x0037
	msgClientTime   = 0x0039
	msgHeaders      = 0x007d
	msgSenderName   = 0x0c1a
	msgSenderMail   = 0x0c1f
	msgSenderSMTP   = 0x5d01
	msgOnBehalfName = 0x0042
	msgOnBehalfSMTP = 0x5d02
	msgTo           = 0x0e04
	msgCc           = 0x0e03
	msgDelivered    = 0x0e06
	msgSubjectBare  = 0x0e1d
	msgBody         = 0x1000
	msgRTF          = 0x1009
	msgHTML         = 0x1013
	msgName         = 0x3001
	msgMail         = 0x3003
	msgSMTP         = 0x39fe
	msgRecipient    = 0x0c15
	msgData         = 0x3701
	msgFileShort    = 0x3704
	msgFileLong     = 0x3707
	msgMIME         = 0x370e
	msgHidden       = 0x7ffe
	msgCodePage     = 0x3fde
	msgCodePage2    = 0x3ffd
)

// outlook is one message, recipient or attachment: a storage whose streams
// are its properties.
type outlook struct {
	file    *compound
	storage int
	charset encoding.Encoding // of texts that are not in Unicode
	values  map[int]uint64    // of fixed size, by number
}

// outlookAt reads the values of fixed size: 16 bytes each, after a head.
func outlookAt(c *compound, storage, head int, page encoding.Encoding) *outlook {
	o := &outlook{file: c, storage: storage, charset: page, values: map[int]uint64{}}
	b := c.stream(storage, "__properties_version1.0")
	for b = b[min(head, len(b)):]; len(b) >= 16 && len(o.values) < 10_000; b = b[16:] {
		o.values[u16(b, 2)] = uint64(u32(b, 8)) | uint64(u32(b, 12))<<32
	}
	for _, id := range []int{msgCodePage, msgCodePage2} {
		if n := int(uint32(o.values[id])); n != 0 {
			o.charset = codePage(n)
		}
	}
	return o
}

// bytes gives a property of the given type from its own stream.
func (o *outlook) bytes(id, kind int) []byte {
	return o.file.stream(o.storage, fmt.Sprintf("__substg1.0_%04X%04X", id, kind))
}

func (o *outlook) text(id int) string {
	text := ""
	if b := o.bytes(id, 0x001f); b != nil {
		text = decodeAs(b, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM))
	} else if b := o.bytes(id, 0x001e); b != nil {
		text = decodeAs(b, o.charset)
	}
	return strings.ReplaceAll(text, "\x00", "")
}

// line gives a text on one line.
func (o *outlook) line(ids ...int) string {
	for _, id := range ids {
		if s := strings.Join(strings.Fields(o.text(id)), " "); s != "" {
			return s
		}
	}
	return ""
}

// readMSG reads an Outlook message like any other mail: its head, its text,
// then the files attached, among them other messages.
func readMSG(r *reading, part *Part, src source) error {
	c, storage, head := src.folder, src.storage, 24
	if c == nil {
		var err error
		if c, err = openCompound(src.data, src.size); err != nil {
			return err
		}
		storage, head = 0, 32
	}
	o := outlookAt(c, storage, head, codePage(1252))
	part.Mail = o.head()
	if part.Name == "" {
		part.Name = part.Mail.Subject
	}
	if err := o.body(r, part); err != nil {
		return err
	}
	number := 0
	for _, kid := range c.entries[storage].kids {
		if !strings.HasPrefix(strings.ToLower(c.entries[kid].name), "__attach_version1.0") {
			continue
		}
		number++
		if err := o.attachment(r, src, kid, number); err != nil {
			return err
		}
	}
	return nil
}

// body adds the text of a message: plain unless it is empty or has lost a
// table that the HTML has, then HTML, then RTF.
func (o *outlook) body(r *reading, part *Part) error {
	plain, page := o.text(msgBody), o.page()
	switch {
	case strings.TrimSpace(page) != "" && (strings.TrimSpace(plain) == "" || holdsGrid(page)):
		return r.html(part, page, true)
	case strings.TrimSpace(plain) != "":
		lines := splitLines(plain)
		lines = within(part, lines)
		return r.lines(part, lines, quotedLines(lines, true))
	}
	if rtf := unpackRTF(o.bytes(msgRTF, 0x0102)); rtf != nil {
		before := len(part.Blocks)
		if err := r.rtf(part, rtf); err != nil {
			return err
		}
		quoteBlocks(part.Blocks[before:], true)
	}
	return nil
}

// page gives the HTML of a message: in bytes of the charset that the page or
// else the message names, or as text.
func (o *outlook) page() string {
	b := o.bytes(msgHTML, 0x0102)
	if b == nil {
		return o.text(msgHTML)
	}
	if declared := htmlCharset(b); declared != "" {
		return decode(b, declared)
	}
	return strings.ReplaceAll(decodeAs(b, codePage(int(uint32(o.values[msgCodePage])))), "\x00", "")
}

// head gives the head of the message: what its sender's program wrote into the
// properties, completed by the head that it was sent with.
func (o *outlook) head() *Mail {
	h, _ := splitHead([]byte(o.text(msgHeaders)))
	sent := mailHead(h)
	m := &Mail{Subject: o.line(msgSubject, msgSubjectBare), From: o.from(), Date: sent.Date}
	var to, cc []string
	for _, kid := range o.file.entries[o.storage].kids {
		if !strings.HasPrefix(strings.ToLower(o.file.entries[kid].name), "__recip_version1.0") || len(to)+len(cc) > 1000 {
			continue
		}
		p := outlookAt(o.file, kid, 8, o.charset)
		person := address(p.line(msgName), p.line(msgSMTP, msgMail))
		switch uint32(p.values[msgRecipient]) {
		case 2:
			cc = append(cc, person)
		case 3: // a blind copy
		default:
			to = append(to, person)
		}
	}
	m.To, m.Cc = strings.Join(to, ", "), strings.Join(cc, ", ")
	for _, f := range []struct {
		value     *string
		otherwise []string
	}{
		{&m.Subject, []string{sent.Subject}},
		{&m.Date, []string{o.date()}},
		{&m.To, []string{sent.To, o.line(msgTo)}},
		{&m.Cc, []string{sent.Cc, o.line(msgCc)}},
	} {
		for _, s := range f.otherwise {
			if *f.value == "" {
				*f.value = s
			}
		}
	}
	if !strings.Contains(m.From, "@") && sent.From != "" {
		m.From = sent.From
	}
	return m
}

func (o *outlook) from() string {
	return address(o.line(msgSenderName, msgOnBehalfName), o.line(msgSenderSMTP, msgOnBehalfSMTP, msgSenderMail))
}

// address joins a name and an address; the addresses of an Exchange server
// mean nothing outside it.
func address(name, mail string) string {
	if !strings.Contains(mail, "@") {
		mail = ""
	}
	name = strings.Trim(name, `'" `)
	switch {
	case mail == "":
		return name
	case name == "" || strings.EqualFold(name, mail):
		return mail
	}
	return name + " <" + mail + ">"
}

// date gives the time of sending, else of arrival: both are kept in steps of
// 100 nanoseconds since 1601.
func (o *outlook) date() string {
	for _, id := range []int{msgClientTime, msgDelivered} {
		if ticks := int64(o.values[id]); ticks > 0 {
			at := time.Unix(ticks/1e7-11_644_473_600, 0).UTC()
			if year := at.Year(); year > 1970 && year < 2200 {
				return at.Format(time.RFC1123Z)
			}
		}
	}
	return ""
}

// attachment reads the file of an attachment, or the message or object in it.
func (o *outlook) attachment(r *reading, src source, storage, number int) error {
	a := outlookAt(o.file, storage, 8, o.charset)
	name := a.line(msgFileLong, msgFileShort, msgName)
	if data := a.bytes(msgData, 0x0102); data != nil {
		if name == "" {
			name = fmt.Sprintf("attachment %d", number)
		}
		as := kind("")
		if a.line(msgMIME) == "message/rfc822" {
			as = kindMail
		}
		return r.attach(src, name, data, as)
	}
	inner := o.file.find(storage, fmt.Sprintf("__substg1.0_%04X000D", msgData))
	if inner < 0 {
		return nil
	}
	if o.file.find(inner, "__properties_version1.0") < 0 {
		if data, label := o.file.wrapped(inner); len(data) > 0 {
			return r.attach(src, label, data, "")
		}
		return nil
	}
	hash := sha256.New()
	for _, kid := range o.file.entries[inner].kids {
		hash.Write(o.file.read(kid))
	}
	if subject := outlookAt(o.file, inner, 24, o.charset).line(msgSubject); subject != "" {
		name = subject
	}
	next := source{name: name, depth: src.depth + 1, mails: src.mails, kind: kindMSG, unzip: src.unzip, folder: o.file, storage: inner}
	return r.attachSource(next, [sha256.Size]byte(hash.Sum(nil)))
}
