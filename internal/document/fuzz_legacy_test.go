package document

import (
	"testing"
)

// FuzzCompound changes the container; the readers of what is in it follow.
func FuzzCompound(f *testing.F) {
	f.Add(compoundOf("WordDocument", "w", "1Table", "t"))
	f.Add(compoundOf("Workbook", xlsRecord(xlsBOF, uint16(0x600), uint16(0x10))+xlsRecord(xlsEOF)))
	f.Add(msgOf(msgValues("", 32), msgProperty("", msgBody, "text")))
	f.Fuzz(func(t *testing.T, content string) { check(t, "a.doc", oleMagic+content[min(len(content), 8):]) })
}

// FuzzXLS puts the fuzzer's records into the globals and the sheet of a
// workbook.
func FuzzXLS(f *testing.F) {
	number := xlsRecord(xlsNumber, uint16(1), uint16(2), uint16(0), 7.5)
	f.Add(xlsRecord(xlsSST, uint32(1), uint32(1), uint16(4), uint8(0), "Ci")+xlsRecord(xlsContinue, uint8(1), wide("ty")), xlsRecord(xlsLabelSST, uint16(0), uint16(0), uint16(0), uint32(0))+number)
	f.Add(xlsRecord(xlsFormat, uint16(164), uint16(4), uint8(0), "#,##")+xlsRecord(xlsXF, uint16(0), uint16(164)), xlsRecord(xlsMerged, uint16(1), uint16(0), uint16(9), uint16(0), uint16(9))+number)
	f.Add("", xlsRecord(xlsFormula, uint16(3), uint16(0), uint16(0), uint64(0xffff000000000000))+xlsRecord(xlsString, uint16(5), uint8(0), "a sum"))
	f.Fuzz(func(t *testing.T, globals, sheet string) { check(t, "a.xls", xlsOf(globals, sheet)) })
}

// FuzzDOC puts the fuzzer's bytes where the piece table and the properties of
// paragraphs are.
func FuzzDOC(f *testing.F) {
	f.Add("1\x07City\x07~\r", 0, uint32(1), 0x400, uint32(0x41414141))
	f.Add("text \x13 x \x14y\x15\x07\x07", 3, uint32(0xffffffff), 0x4c, uint32(9))
	f.Fuzz(func(t *testing.T, text string, at int, value uint32, at2 int, value2 uint32) {
		runes := []rune(text)
		if len(runes) > 20 {
			return
		}
		doc := []byte(docOf("a\x07b\x07~", string(runes)+"\r"))
		for i, v := range map[int]uint32{at: value, at2: value2} {
			if i >= 0 && i+4 <= len(doc)-512 {
				copy(doc[512+i:], little(v))
			}
		}
		check(t, "a.doc", string(doc))
	})
}

func FuzzMSG(f *testing.F) {
	f.Add("body", "<p>html</p>", packRTF("{\\rtf1\\ansi text}", 11), "From: a@b.c", "a.txt", "data")
	f.Add("", "", "\x10\x00\x00\x00\xff\x00\x00\x00LZFu\x00\x00\x00\x00\x03\x00\x10\x00\x2f", "", "", "")
	f.Fuzz(func(t *testing.T, body, page, rtf, headers, name, data string) {
		check(t, "a.msg", msgOf(msgValues("", 32, msgCodePage, len(body)), msgProperty("", msgBody, body), msgBytes("", msgHTML, page), msgBytes("", msgRTF, rtf), msgProperty("", msgHeaders, headers),
			msgProperty("__attach_version1.0_#0/", msgFileLong, name), msgBytes("__attach_version1.0_#0/", msgData, data)))
		if n := len(unpackRTF([]byte(rtf))); n > 17*len(rtf) {
			t.Fatalf("%d bytes unpacked from %d", n, len(rtf))
		}
	})
}

func FuzzRTF(f *testing.F) {
	f.Add(`\ansi\ansicpg932{\fonttbl{\f1\fcharset204 A;}}\f1 \'c4\u8364?\par`)
	f.Add(`\trowd\intbl a\cell b\cell\row{\*\x y}{\header h\par}\pard\par`)
	f.Add(`{\pict\bin3 }}}}\uc3\u-10179\u-8704\nestcell\nestrow`)
	f.Fuzz(func(t *testing.T, content string) { check(t, "a.rtf", `{\rtf1 `+content) })
}

func FuzzXMLSheets(f *testing.F) {
	f.Add(`<Worksheet ss:Name="a"><Table><Row ss:Index="3"><Cell ss:Index="2" ss:MergeAcross="2"><Data ss:Type="Number">1</Data></Cell></Row></Table></Worksheet>`)
	f.Fuzz(func(t *testing.T, content string) {
		check(t, "a.xls", `<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">`+content)
	})
}

func FuzzZip(f *testing.F) {
	f.Add(zipped(f, "a.txt", "text", "b.csv", "a,b\n1,2\n"))
	f.Add(zipped(f, "a.zip", zipped(f, "b.zip", zipped(f, "c.txt", "text"))))
	f.Add(zipped(f, "word/document.xml", para("a"), "xl/workbook.xml", "<workbook/>", "mimetype", "x"))
	f.Fuzz(func(t *testing.T, content string) { check(t, "a.zip", content) })
}

// FuzzText gives any text to the sniffer: what it takes for a page, a table, a
// mail or plain text is read as such.
func FuzzText(f *testing.F) {
	f.Add("a.txt", "Loc   City       Value\n1     London     100\n2     Leeds      200\n| a | b |\n|---|---|\n| 1 | 2 |\n")
	f.Add("a.csv", "sep=;\na;\"b\n;c\"\n\n1;2\n")
	f.Add("a.html", "<table><tr><td rowspan=3>a<td colspan=9>b<tr><td>c</table><blockquote>d<br>e")
	f.Add("a.txt", "\xff\xfea\x00b\x00\r\x00\n\x00")
	f.Fuzz(func(t *testing.T, name, content string) { check(t, name, content) })
}

// FuzzPDFForm puts the fuzzer's dictionary where a field of a form is.
func FuzzPDFForm(f *testing.F) {
	f.Add("/T(a)/FT/Tx/V(b)/Rect[120 698 300 712]", "/T(c)/FT/Btn/AS/1/Parent 6 0 R/Kids[6 0 R]")
	f.Add("/T(a)/FT/Ch/V[(x)(y)]/Opt[[(x)(X)](y)]/Kids[7 0 R]", "/AS/Off/Rect[1 2 3 4]/Subtype/Widget")
	f.Fuzz(func(t *testing.T, field, box string) {
		check(t, "a.pdf", pdfPageOf("/Annots[6 0 R 7 0 R]", at(50, 700, "Label:"), "<<"+field+">>", "<<"+box+">>"))
	})
}
