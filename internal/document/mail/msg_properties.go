package mail

import (
	"fmt"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"

	"understudy.example/internal/document/compound"
	"understudy.example/internal/document/decode"
)

// The numbers of the properties that are read (MS-OXPROPS).
const (
	propSubject           = 0x0037
	propSubmitTime        = 0x0039
	propHeaders           = 0x007d
	propSenderName        = 0x0c1a
	propSenderAddress     = 0x0c1f
	propSenderSMTP        = 0x5d01
	propOnBehalfName      = 0x0042
	propOnBehalfSMTP      = 0x5d02
	propTo                = 0x0e04
	propCc                = 0x0e03
	propDeliveryTime      = 0x0e06
	propNormalizedSubject = 0x0e1d
	propBody              = 0x1000
	propRTF               = 0x1009
	propHTML              = 0x1013
	propName              = 0x3001
	propAddress           = 0x3003
	propSMTP              = 0x39fe
	propRecipientType     = 0x0c15
	propData              = 0x3701
	propShortFileName     = 0x3704
	propLongFileName      = 0x3707
	propMIMEType          = 0x370e
	propBodyCodePage      = 0x3fde
	propTextCodePage      = 0x3ffd
)

// propertiesStream is the stream that holds the properties of fixed size.
const propertiesStream = "__properties_version1.0"

// The types of the properties that have a stream of their own.
const (
	typeString  = 0x001e
	typeUnicode = 0x001f
	typeBinary  = 0x0102
	typeObject  = 0x000d
)

// The sizes in bytes of the header before the properties of fixed size.
const (
	topMessageHeader      = 32
	embeddedMessageHeader = 24
	otherObjectHeader     = 8 // of a recipient or an attachment
)

// msgObject is a message, a recipient or an attachment: a storage that holds its
// properties.
type msgObject struct {
	file     *compound.File
	storage  int
	encoding encoding.Encoding // of texts that are not in Unicode
	values   map[int]uint64    // properties of fixed size, by number
}

// openObject reads the properties of fixed size: 16 bytes each, after a header.
func openObject(c *compound.File, storage, header int, e encoding.Encoding) *msgObject {
	o := &msgObject{file: c, storage: storage, encoding: e, values: map[int]uint64{}}
	b := c.Stream(storage, propertiesStream)
	for b = b[min(header, len(b)):]; len(b) >= 16 && len(o.values) < 10_000; b = b[16:] {
		o.values[compound.Uint16(b, 2)] = uint64(compound.Uint32(b, 8)) | uint64(compound.Uint32(b, 12))<<32
	}
	for _, id := range []int{propBodyCodePage, propTextCodePage} {
		if n := int(uint32(o.values[id])); n != 0 {
			o.encoding = decode.CodePage(n)
		}
	}
	return o
}

// bytes returns a property of the given type, which has a stream of its own; nil
// when there is none.
func (o *msgObject) bytes(id, kind int) []byte {
	return o.file.Stream(o.storage, fmt.Sprintf("__substg1.0_%04X%04X", id, kind))
}

// text returns a property that is text.
func (o *msgObject) text(id int) string {
	text := ""
	if b := o.bytes(id, typeUnicode); b != nil {
		text = decode.With(unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), b)
	} else if b := o.bytes(id, typeString); b != nil {
		text = decode.With(o.encoding, b)
	}
	return strings.ReplaceAll(text, "\x00", "")
}

// children returns the storages inside this one whose names start with a prefix,
// which is in lower case.
func (o *msgObject) children(prefix string) []int {
	var list []int
	for _, child := range o.file.Children(o.storage) {
		if strings.HasPrefix(strings.ToLower(o.file.Name(child)), prefix) {
			list = append(list, child)
		}
	}
	return list
}

// line returns the first property that is text and not empty, on one line.
func (o *msgObject) line(ids ...int) string {
	for _, id := range ids {
		if s := strings.Join(strings.Fields(o.text(id)), " "); s != "" {
			return s
		}
	}
	return ""
}
