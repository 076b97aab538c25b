package mail

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"understudy.example/internal/document/compound"
	"understudy.example/internal/document/content"
	"understudy.example/internal/document/decode"
	"understudy.example/internal/document/text"
)

// ReadMSG reads an Outlook message like any other mail: its header, its text,
// then the files attached, among them other messages.
func ReadMSG(f *content.File) error {
	c, err := compound.Open(f.Data, f.Size)
	if err != nil {
		return err
	}
	return readMessage(f, openObject(c, compound.Root, topMessageHeader, decode.CodePage(1252)))
}

func readMessage(f *content.File, o *msgObject) error {
	f.Mail = o.mail()
	if f.Name == "" {
		f.Name = f.Mail.Subject
	}
	if err := o.addBody(f); err != nil {
		return err
	}
	for i, attachment := range o.children("__attach_version1.0") {
		if err := o.attach(f, attachment, i+1); err != nil {
			return err
		}
	}
	return nil
}

// addBody adds the text of a message: the plain form, or the HTML when the plain
// form is empty or has lost a table of the HTML, or else the RTF.
func (o *msgObject) addBody(f *content.File) error {
	plain, source := o.text(propBody), o.page()
	page := text.NewHTML(f, source)
	switch {
	case strings.TrimSpace(source) != "" && (strings.TrimSpace(plain) == "" || page.HasValueTable()):
		return page.Add(true)
	case strings.TrimSpace(plain) != "":
		return text.AddLines(f, decode.Lines(plain), true)
	}
	if rtf := decompressRTF(o.bytes(propRTF, typeBinary)); rtf != nil {
		return text.AddRTFMail(f, rtf)
	}
	return nil
}

// page returns the HTML of a message. It is stored as text, or as bytes in the
// character set that the page or else the message states.
func (o *msgObject) page() string {
	b := o.bytes(propHTML, typeBinary)
	if b == nil {
		return o.text(propHTML)
	}
	if declared := text.HTMLCharset(b); declared != "" {
		return decode.Text(b, declared)
	}
	e := decode.CodePage(int(uint32(o.values[propBodyCodePage])))
	return strings.ReplaceAll(decode.With(e, b), "\x00", "")
}

// attach reads an attachment: a file, or a message or another object inside the
// message. A file without a name is named by its number, which counts from 1.
func (o *msgObject) attach(f *content.File, storage, number int) error {
	a := openObject(o.file, storage, otherObjectHeader, o.encoding)
	name := a.line(propLongFileName, propShortFileName, propName)
	if data := a.bytes(propData, typeBinary); data != nil {
		if name == "" {
			name = fmt.Sprintf("attachment %d", number)
		}
		as := content.Reader{}
		if a.line(propMIMEType) == "message/rfc822" {
			as = content.Reader{Format: content.EML, Read: ReadEML}
		}
		return f.AttachAs(name, data, as)
	}
	inner := o.file.Find(storage, fmt.Sprintf("__substg1.0_%04X%04X", propData, typeObject))
	switch {
	case inner < 0:
		return nil
	case o.file.Find(inner, propertiesStream) >= 0:
		return o.attachMessage(f, name, inner)
	}
	if data, label := o.file.EmbeddedFile(inner); len(data) > 0 {
		return f.Attach(label, data)
	}
	return nil
}

// attachMessage reads a message that is a storage inside this one. Its name is its
// subject, or else that of the attachment.
func (o *msgObject) attachMessage(f *content.File, name string, storage int) error {
	hash := sha256.New()
	for _, child := range o.file.Children(storage) {
		hash.Write(o.file.Read(child))
	}
	if subject := openObject(o.file, storage, embeddedMessageHeader, o.encoding).line(propSubject); subject != "" {
		name = subject
	}
	read := func(f *content.File) error {
		return readMessage(f, openObject(o.file, storage, embeddedMessageHeader, decode.CodePage(1252)))
	}
	return f.AttachObject(name, [sha256.Size]byte(hash.Sum(nil)), content.Reader{Format: content.MSG, Read: read})
}
