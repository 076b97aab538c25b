package decode

import (
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// CodePage returns the encoding of a Windows code page, Western European for an
// unknown one.
func CodePage(number int) encoding.Encoding {
	if e := codePages[number]; e != nil {
		return e
	}
	return charmap.Windows1252
}

var codePages = map[int]encoding.Encoding{
	437: charmap.CodePage437, 850: charmap.CodePage850, 852: charmap.CodePage852, 855: charmap.CodePage855, 866: charmap.CodePage866,
	874: charmap.Windows874, 932: japanese.ShiftJIS, 936: simplifiedchinese.GBK, 949: korean.EUCKR, 950: traditionalchinese.Big5,
	1200: unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), 1250: charmap.Windows1250, 1251: charmap.Windows1251, 1252: charmap.Windows1252,
	1253: charmap.Windows1253, 1254: charmap.Windows1254, 1255: charmap.Windows1255, 1256: charmap.Windows1256, 1257: charmap.Windows1257, 1258: charmap.Windows1258,
	10000: charmap.Macintosh, 0x8000: charmap.Macintosh, 28591: charmap.ISO8859_1, 28592: charmap.ISO8859_2, 28605: charmap.ISO8859_15,
	20866: charmap.KOI8R, 50220: japanese.ISO2022JP, 51932: japanese.EUCJP, 54936: simplifiedchinese.GB18030, 65001: unicode.UTF8,
}
