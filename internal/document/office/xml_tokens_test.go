package office

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// events lists the events of a text, and the error at its end, with or without the fast
// path.
func events(in io.Reader, fast bool) (list []string) {
	t := newXMLTokens(in)
	t.foreign = !fast
	for {
		e, err := t.next()
		if err != nil {
			return append(list, fmt.Sprint(err == io.EOF))
		}
		list = append(list, fmt.Sprintf("%s:%s %t %t %q %q", e.prefix, e.name, e.opens, e.ends, e.text, e.attrs))
	}
}

// FuzzXMLTokens checks that the fast path returns the same events as the decoder, with
// any part of the text in its buffer.
func FuzzXMLTokens(f *testing.F) {
	for _, seed := range []string{
		`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\r\n" + `<w:p w:rsid="1" a='b"c'><w:r>  <w:t xml:space="preserve"> Foxglove </w:t></w:r><w:p/></w:p>`,
		`<row r="1"><c r="A1" t="inlineStr"><is><t>A</t></is></c><c/><c  s = "1" /></row>`,
		"<a>é\uFEFF日</a><b é='ü'/><é/><a>\uFFFE</a>", "<a>\uFFFF</a>", "<a b='\uFFFF'/>", "<a>\xff</a>", "<a>\x01</a>", "<a b='\x01'/>",
		"<a>b &amp; c &#65; &x; &</a>", "<a b='&lt;' c=\"<\"/>", "<a>\r\n b\r</a>", "<a b='\r\n'/>", "<a>b ]]> c</a>", "<a b=']]>'/>",
		"<a><![CDATA[<b>&amp;]]></a>", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<!-- <a> --><a/><!----><b></b>",
		"<a b c=d e='f'g='h'/>", "<a b = 'c'></a >", "<a / >", "<a b='c>'>", "<a b='c", "<a", "<", "</", "</a", "a", "", "</a></b>", "<a></b>", "<1/>", "<-a/>",
		"<:a/>", "<a:/>", "<a:b:c/>", "<a:b c:d='e' f:='g' :h='i'/>", "<a.b-c_d1/>", "<a:1/>", "< a/>", "<a\t\n b='c'\n/>", "<a/><b/>text<c/>", "<a/>text", "<a\r\n/>",
		`<?xml version="1.0" encoding="ISO-8859-1"?>` + "<a>\xe9</a>", `<?xml version="1.1"?><a/>`, `<?a b?><c/>`, "<a b=\"'\" c='\"'/>",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want := events(strings.NewReader(text), false)
		for name, in := range map[string]io.Reader{"whole": strings.NewReader(text), "halves": iotest.HalfReader(strings.NewReader(text)), "bytes": iotest.OneByteReader(strings.NewReader(text))} {
			if got := events(in, true); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
	})
}

// TestXMLTokensCostLittle checks that the tokens of an ordinary sheet are not read with
// the slow decoder: they cost an allocation for each attribute, and none for a name.
func TestXMLTokensCostLittle(t *testing.T) {
	const cells = 10_000
	sheet := "<sheetData><row>" + strings.Repeat(`<c t="n"><is><t>Foxglove Bäckerei</t></is></c>`, cells) + "</row></sheetData>"
	allocations := testing.AllocsPerRun(1, func() {
		left := int64(1 << 30)
		if err := walkXML(strings.NewReader(sheet), &left, func(element) error { return nil }); err != nil {
			t.Error(err)
		}
	})
	if allocations > 1.2*cells {
		t.Errorf("got %v allocations for %d cells, want about one for each", allocations, cells)
	}
}
