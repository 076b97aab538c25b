package pdf

import (
	"errors"
	"math"
	"strings"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/pdf/object"
)

// objects looks up the objects of one PDF. Its methods follow references and
// return the zero value for an object of another type.
type objects struct {
	file    *content.File
	doc     *object.File
	pages   []pageDict
	decoded *allowance // bytes of all streams
}

func (d objects) resolve(o object.Object) object.Object {
	if _, isRef := o.(object.Ref); !isRef {
		return o
	}
	return d.doc.Resolve(o)
}

func (d objects) dict(o object.Object) object.Dict {
	switch v := d.resolve(o).(type) {
	case object.Dict:
		return v
	case *object.Stream:
		return v.Dict
	}
	return nil
}

func (d objects) array(o object.Object) object.Array {
	a, _ := d.resolve(o).(object.Array)
	return a
}

func (d objects) name(o object.Object) object.Name {
	n, _ := d.resolve(o).(object.Name)
	return n
}

func (d objects) number(o object.Object) (float64, bool) {
	n, ok := d.resolve(o).(float64)
	return n, ok
}

func (d objects) box(o object.Object) (box, bool) {
	a := d.array(o)
	if len(a) != 4 {
		return box{}, false
	}
	var n [4]float64
	for i := range n {
		var ok bool
		if n[i], ok = d.number(a[i]); !ok {
			return box{}, false
		}
	}
	return box{math.Min(n[0], n[2]), math.Min(n[1], n[3]), math.Max(n[0], n[2]), math.Max(n[1], n[3])}, true
}

func (d objects) matrix(o object.Object) matrix {
	a := d.array(o)
	if len(a) != 6 {
		return identity
	}
	var m matrix
	for i := range m {
		m[i], _ = d.number(a[i])
	}
	return m
}

// stream decodes a stream up to the limits; nil when that fails.
func (d objects) stream(o object.Object) []byte {
	s, ok := d.resolve(o).(*object.Stream)
	if !ok {
		return nil
	}
	if !d.decoded.take(0) {
		d.file.AddNote(content.Limit, "streams of more than 200 MiB in all: the rest was skipped")
		return nil
	}
	data, cost, err := d.doc.Decode(s, maxStream)
	d.decoded.take(cost)
	switch {
	case errors.Is(err, object.ErrTooLarge):
		d.decoded.take(maxStream)
		d.file.AddNote(content.Limit, "a stream of more than 16 MiB was skipped")
	case err != nil && len(data) > 0:
		d.file.AddNote(content.Damaged, "a damaged stream was read only in part")
	case err != nil:
		d.file.AddNote(content.Damaged, "a damaged stream was skipped")
	}
	return data
}

// text decodes a text string: UTF-16 or UTF-8 when it has their byte order mark,
// else PDFDocEncoding, which is nearly the same as Windows-1252.
func (d objects) text(o object.Object) string {
	var raw []byte
	switch s := d.resolve(o).(type) {
	case object.String:
		raw = s
	case *object.Stream:
		raw = d.stream(s)
	default:
		return ""
	}
	text := ""
	switch {
	case len(raw) >= 2 && raw[0] == 0xfe && raw[1] == 0xff:
		b, _ := unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder().Bytes(raw)
		text = string(b)
	case len(raw) >= 2 && raw[0] == 0xff && raw[1] == 0xfe:
		b, _ := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Bytes(raw)
		text = string(b)
	case len(raw) >= 3 && string(raw[:3]) == "\xef\xbb\xbf":
		text = string(raw[3:])
	default:
		b, _ := charmap.Windows1252.NewDecoder().Bytes(raw)
		text = string(b)
	}
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
	return strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"))
}
