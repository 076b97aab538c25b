package pdf

import (
	"errors"
	"math"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/filter"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"understudy.example/internal/document/content"
)

// objects looks up the objects of one PDF. Its methods follow references and
// return the zero value for an object of another type.
type objects struct {
	file    *content.File
	doc     *model.Context
	decoded *int // bytes of all streams so far
}

func (d objects) resolve(o types.Object) types.Object {
	if _, isRef := o.(types.IndirectRef); !isRef {
		return o
	}
	o, err := d.doc.Dereference(o)
	if err != nil {
		return nil
	}
	return o
}

func (d objects) dict(o types.Object) types.Dict {
	switch v := d.resolve(o).(type) {
	case types.Dict:
		return v
	case types.StreamDict:
		return v.Dict
	}
	return nil
}

func (d objects) array(o types.Object) types.Array {
	a, _ := d.resolve(o).(types.Array)
	return a
}

func (d objects) name(o types.Object) string {
	n, _ := d.resolve(o).(types.Name)
	return n.Value()
}

func (d objects) number(o types.Object) (float64, bool) {
	switch n := d.resolve(o).(type) {
	case types.Integer:
		return float64(n), true
	case types.Float:
		return float64(n), !math.IsNaN(float64(n)) && !math.IsInf(float64(n), 0)
	}
	return 0, false
}

func (d objects) box(o types.Object) (box, bool) {
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

func (d objects) matrix(o types.Object) matrix {
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
func (d objects) stream(o types.Object) []byte {
	s, ok := d.resolve(o).(types.StreamDict)
	if !ok {
		return nil
	}
	if *d.decoded > maxDecoded {
		d.file.AddNote(content.Limit, "streams of more than 200 MiB in all: the rest was skipped")
		return nil
	}
	err := s.DecodeWithLimit(maxStream)
	*d.decoded += max(len(s.Content), len(s.Raw))
	switch {
	case errors.Is(err, filter.ErrDecodeLimitExceeded):
		*d.decoded += maxStream
		d.file.AddNote(content.Limit, "a stream of more than 16 MiB was skipped")
		return nil
	case err != nil:
		d.file.AddNote(content.Damaged, "a damaged stream was skipped")
		return nil
	}
	return s.Content
}

// text decodes a text string: UTF-16 or UTF-8 when it has their byte order mark,
// else PDFDocEncoding, which is nearly the same as Windows-1252.
func (d objects) text(o types.Object) string {
	var raw []byte
	switch s := d.resolve(o).(type) {
	case types.StringLiteral:
		var err error
		if raw, err = types.Unescape(s.Value()); err != nil {
			raw = []byte(s.Value())
		}
	case types.HexLiteral:
		raw, _ = s.Bytes()
	case types.StreamDict:
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
