package pdf

import (
	"reflect"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/pdf/glyph"
	"understudy.example/internal/document/pdf/object"
)

// font turns the codes of a shown string into text and widths.
type font struct {
	wide         bool // the codes have two bytes
	utf16        bool // the codes are UTF-16
	toUnicode    map[int]string
	encoding     [256]string
	widths       map[int]float64 // in units of the text size
	defaultWidth float64
	core         *[256]float64 // widths of the built-in font that is used
	entries      int           // of the arrays of the document from which it was read
}

// fontCache reads each font of a document once, whether it has an object number or is a
// direct object in the resources of a page.
type fontCache struct {
	objects
	fonts map[uintptr]cachedFont // by the address of the dictionary
	read  int                    // fonts
	codes int                    // entries of their tables
}

// cachedFont is a font with its dictionary. While the dictionary is in use, no other one
// has its address.
type cachedFont struct {
	dict object.Dict
	font *font
}

// font returns the font of an object, nil when it is none.
func (c *fontCache) font(o object.Object) *font {
	dict := c.dict(o)
	if dict == nil {
		return nil
	}
	address := reflect.ValueOf(dict).Pointer()
	if cached, ok := c.fonts[address]; ok {
		return cached.font
	}
	if len(c.fonts) >= maxFonts {
		c.file.AddNote(content.Limit, "too many fonts: the rest was skipped")
		return nil
	}
	c.read++
	f := c.readFont(dict)
	c.fonts[address] = cachedFont{dict, f}
	return f
}

// readFont reads a font. Once the tables of all fonts together have too many entries, it uses those of a
// standard font instead.
func (c *fontCache) readFont(dict object.Dict) *font {
	f := &font{widths: map[int]float64{}, defaultWidth: 0.5}
	if c.codes > maxAllCodes {
		c.file.AddNote(content.Limit, "too many characters in fonts: the rest was skipped")
		f.wide = c.name(dict["Subtype"]) == "Type0"
		f.readSimple(c.objects, object.Dict{"BaseFont": dict["BaseFont"]})
		return f
	}
	if stream := c.stream(dict["ToUnicode"]); stream != nil {
		f.toUnicode = readCMap(stream)
	}
	if c.name(dict["Subtype"]) == "Type0" {
		f.readWide(c.objects, dict)
	} else {
		f.readSimple(c.objects, dict)
	}
	c.codes += len(f.toUnicode) + len(f.widths) + f.entries
	return f
}

// readWide reads a font with codes of two bytes (Type0).
func (f *font) readWide(d objects, dict object.Dict) {
	f.wide, f.defaultWidth = true, 1
	f.utf16 = strings.HasPrefix(string(d.name(dict["Encoding"])), "Uni")
	kids := d.array(dict["DescendantFonts"])
	if len(kids) == 0 {
		return
	}
	kid := d.dict(kids[0])
	if w, ok := d.number(kid["DW"]); ok {
		f.defaultWidth = w / 1000
	}
	list := d.array(kid["W"])
	f.entries += len(list)
	for i := 0; i+1 < len(list) && len(f.widths) < maxCodes; {
		first, _ := d.number(list[i])
		if widths := d.array(list[i+1]); widths != nil {
			for j, o := range widths {
				if w, ok := d.number(o); ok {
					f.widths[int(first)+j] = w / 1000
				}
			}
			i += 2
			continue
		}
		last, _ := d.number(list[i+1])
		if i+2 < len(list) {
			w, _ := d.number(list[i+2])
			for c := int(first); c <= int(last) && len(f.widths) < maxCodes; c++ {
				f.widths[c] = w / 1000
			}
		}
		i += 3
	}
}

// readSimple reads a font with codes of one byte.
func (f *font) readSimple(d objects, dict object.Dict) {
	base := string(d.name(dict["BaseFont"]))
	if _, name, subset := strings.Cut(base, "+"); subset {
		base = name
	}
	f.encoding = readEncoding(d, dict, base)
	unit := 0.001
	if d.name(dict["Subtype"]) == "Type3" {
		if m := d.matrix(dict["FontMatrix"]); m[0] != 0 && m != identity {
			unit = m[0]
		}
	}
	widths := d.array(dict["Widths"])
	f.entries += len(widths) + len(d.array(d.dict(dict["Encoding"])["Differences"]))
	first, _ := d.number(dict["FirstChar"])
	for i, o := range widths {
		if w, ok := d.number(o); ok && i < 256 {
			f.widths[int(first)+i] = w * unit
		}
	}
	if w, ok := d.number(d.dict(dict["FontDescriptor"])["MissingWidth"]); ok && w > 0 {
		f.defaultWidth = w * unit
	}
	if len(widths) == 0 {
		f.core = glyph.Widths(base)
	}
}

// decode calls visit with the text and the width of each code of a shown string.
func (f *font) decode(s []byte, visit func(text string, width float64, code int)) {
	step := 1
	if f.wide {
		step = 2
	}
	for i := 0; i+step <= len(s); i += step {
		code := int(s[i])
		if f.wide {
			code = code<<8 | int(s[i+1])
		}
		text, ok := f.toUnicode[code]
		switch {
		case ok:
		case f.utf16:
			text = string(utf16.Decode([]uint16{uint16(code)}))
		case !f.wide:
			text = f.encoding[code]
		}
		visit(text, f.width(code, text), code)
	}
}

func (f *font) width(code int, text string) float64 {
	if w, ok := f.widths[code]; ok {
		return w
	}
	if f.core != nil {
		for _, r := range text {
			if b, ok := charmap.Windows1252.EncodeRune(r); ok {
				return f.core[b]
			}
		}
	}
	return f.defaultWidth
}
