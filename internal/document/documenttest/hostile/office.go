package hostile

import (
	"fmt"
	"strings"
)

const (
	xmlHead       = `<?xml version="1.0" encoding="UTF-8"?>`
	entities      = `<!DOCTYPE a [<!ENTITY a "ha ha ha ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;"><!ENTITY f "&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;"><!ENTITY g "&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;">]>`
	external      = `<!DOCTYPE a [<!ENTITY g SYSTEM "file:///etc/passwd"><!ENTITY % h SYSTEM "http://127.0.0.1:9/x.dtd">%h;]>`
	wordNamespace = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
	wordHead      = "<w:document" + wordNamespace + "><w:body>"
	wordTail      = "</w:body></w:document>"
	wordLetter    = "<w:p><w:r><w:t>Named Insured: Foxglove Bakery LLC</w:t></w:r></w:p>"
)

// word returns a Word document with the body.
func word(body string) string { return wordOf(xmlHead + wordHead + wordLetter + body + wordTail) }

func wordOf(document string, more ...entry) string {
	return zipped(append([]entry{
		{name: "[Content_Types].xml", content: xmlHead + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`},
		{name: "_rels/.rels", content: xmlHead + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`},
		{name: "word/document.xml", content: document},
	}, more...)...)
}

// wordBomb returns a Word document whose body unpacks to size bytes.
func wordBomb(filler string, size int) func() string {
	return func() string {
		return zipped(bomb("word/document.xml", xmlHead+wordHead+wordLetter, filler, size, wordTail))
	}
}

// wordDocuments are documents of Word.
func wordDocuments(s divisor) []Document {
	table := func(cell string) string {
		return "<w:tbl><w:tr><w:tc>" + cell + "<w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
	}
	nestedTables := func() string {
		return word(nested("<w:tbl><w:tr><w:tc>", "<w:p/>", "</w:tc></w:tr></w:tbl>", 10_000))
	}
	selfEmbedded := func() string {
		inner := word("")
		for i := range 20 {
			inner = wordOf(xmlHead+wordHead+wordLetter+wordTail, entry{name: fmt.Sprintf("word/embeddings/%d.docx", i), content: inner})
		}
		return inner
	}
	return []Document{
		{"docx: 500 MB in one line, packed", "a.docx", "", wordBomb("<w:p><w:r><w:t>"+strings.Repeat("0", 1000)+"</w:t></w:r></w:p>", s.of(500*mega))},
		{"docx: a text of 190 MB", "a.docx", "", func() string {
			return zipped(bomb("word/document.xml", xmlHead+wordHead+wordLetter+"<w:p><w:r><w:t>", "0", 190*mega, "</w:t></w:r></w:p>"+wordTail))
		}},
		{"docx: 190 MB of empty paragraphs", "a.docx", "", wordBomb("<w:p/>", s.of(190*mega))},
		{"docx: 190 MB of table cells", "a.docx", "", wordBomb(table(""), s.of(190*mega))},
		{"docx: an attribute of 190 MB", "a.docx", "", func() string {
			return zipped(bomb("word/document.xml", xmlHead+wordHead+wordLetter+`<w:p w:a="`, "0", 190*mega, `"/>`+wordTail))
		}},
		{"docx: a million attributes", "a.docx", "", func() string {
			var b strings.Builder
			for i := range s.of(1_000_000) {
				fmt.Fprintf(&b, " a%d=''", i)
			}
			return word("<w:p" + b.String() + "/>")
		}},
		{"docx: tables nested 10,000 deep", "a.docx", "", nestedTables},
		{"docx: elements nested a million deep", "a.docx", "", func() string { return word(nested("<w:p>", "", "</w:p>", 1_000_000)) }},
		{"docx: elements nested a million deep without end", "a.docx", "", func() string { return word(strings.Repeat("<w:sdt>", 1_000_000)) }},
		{"docx: a cell over two billion columns", "a.docx", "", word(table(`<w:tcPr><w:gridSpan w:val="2147483647"/></w:tcPr>`))},
		{"docx: 10^8 laughs", "a.docx", "", wordOf(xmlHead + entities + wordHead + "<w:p><w:r><w:t>&g;</w:t></w:r></w:p>" + wordTail)},
		{"docx: an external entity", "a.docx", "", wordOf(xmlHead + external + wordHead + wordLetter + "<w:p><w:r><w:t>&g;</w:t></w:r></w:p>" + wordTail)},
		{"docx: a relationship to a file of the machine", "a.docx", "", wordOf(xmlHead+wordHead+wordLetter+wordTail, entry{name: "word/_rels/document.xml.rels", content: xmlHead + `<Relationships><Relationship Id="r1" Type="attachedTemplate" Target="file:///etc/passwd" TargetMode="External"/><Relationship Id="r2" Type="header" Target="../../../../etc/passwd"/></Relationships>`})},
		{"docx: 20 documents within each other", "a.docx", "", selfEmbedded},
		{"docx: not well formed", "a.docx", "", wordOf(xmlHead + wordHead + wordLetter + "<w:p></w:tbl>")},
		{"docx: cut", "a.docx", "damaged Word document", func() string { text := word(wordLetter); return text[:len(text)/2] }},
	}
}

const sheetHead = xmlHead + `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">`

// workbook returns a workbook with one sheet, and with further files.
func workbook(sheet entry, more ...entry) string {
	const namespaces = ` xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	sheet.name = "xl/worksheets/sheet1.xml"
	return zipped(append([]entry{
		{name: "[Content_Types].xml", content: xmlHead + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`},
		{name: "_rels/.rels", content: xmlHead + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{name: "xl/_rels/workbook.xml.rels", content: xmlHead + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="r3" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>`},
		{name: "xl/workbook.xml", content: xmlHead + "<workbook" + namespaces + `><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>`},
		sheet,
	}, more...)...)
}

// cells returns a workbook whose sheet has the content.
func cells(content string, more ...entry) string {
	return workbook(entry{content: sheetHead + content + "</worksheet>"}, more...)
}

const (
	insuredRow = `<row r="1"><c r="A1" t="inlineStr"><is><t>Named Insured</t></is></c><c r="B1" t="inlineStr"><is><t>Foxglove Bakery LLC</t></is></c></row>`
	insured    = "<sheetData>" + insuredRow + "</sheetData>"
)

// workbooks are workbooks of Excel.
func workbooks(s divisor) []Document {
	row := func(attributes, content string) string {
		return cells("<sheetData>" + insuredRow + "<row" + attributes + ">" + content + "</row></sheetData>")
	}
	packed := func(filler string, size int) func() string {
		return func() string {
			return workbook(bomb("", sheetHead+"<sheetData>"+insuredRow, filler, size, "</sheetData></worksheet>"))
		}
	}
	shared := func(content string) string {
		return cells(`<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>2000000000</v></c><c r="C1" t="s"><v>-1</v></c></row></sheetData>`, entry{name: "xl/sharedStrings.xml", content: content})
	}
	manySheets := func() string {
		var sheets, relations strings.Builder
		for i := range s.of(10_000) {
			fmt.Fprintf(&sheets, `<sheet name="S%d" sheetId="%d" r:id="r%d"/>`, i, i+1, i)
			fmt.Fprintf(&relations, `<Relationship Id="r%d" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/>`, i)
		}
		return zipped(
			entry{name: "xl/workbook.xml", content: xmlHead + `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>` + sheets.String() + "</sheets></workbook>"},
			entry{name: "xl/_rels/workbook.xml.rels", content: xmlHead + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + relations.String() + "</Relationships>"},
			entry{name: "xl/worksheets/sheet1.xml", content: sheetHead + "<sheetData>" + strings.Repeat(insuredRow, 100) + "</sheetData></worksheet>"})
	}
	// formatted returns a workbook with rows of 50 numbers in a format.
	formatted := func(code string, rows int) string {
		row := "<row>" + strings.Repeat(`<c s="0"><v>1</v></c>`, 50) + "</row>"
		return cells("<sheetData>"+insuredRow+strings.Repeat(row, rows)+"</sheetData>", entry{name: "xl/styles.xml", content: xmlHead + `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts><numFmt numFmtId="200" formatCode="` + code + `"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs></styleSheet>`})
	}
	styles := xmlHead + `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts count="2000000000"><numFmt numFmtId="164" formatCode="` + strings.Repeat("[&gt;0]#,##0;", 10_000) + `"/></numFmts><cellXfs>` + strings.Repeat(`<xf numFmtId="164"/>`, many) + "</cellXfs></styleSheet>"
	return []Document{
		{"xlsx: a row with the number 30,000,000", "a.xlsx", "", row(` r="30000000"`, `<c r="A30000000"><v>1</v></c>`)},
		{"xlsx: a row with the number 2^63", "a.xlsx", "", row(` r="9223372036854775808"`, `<c><v>1</v></c>`)},
		{"xlsx: a column beyond the last", "a.xlsx", "", row(` r="2"`, `<c r="ZZZZZZZ2"><v>1</v></c>`)},
		{"xlsx: a cell in the last column of the last row", "a.xlsx", "", row(` r="1048576"`, `<c r="XFD1048576"><v>1</v></c>`)},
		{"xlsx: the same row 200,000 times", "a.xlsx", "", func() string {
			return cells("<sheetData>" + strings.Repeat(insuredRow, s.of(200_000)) + "</sheetData>")
		}},
		{"xlsx: a row of a million cells", "a.xlsx", "", func() string { return row(` r="2"`, strings.Repeat("<c><v>1</v></c>", s.of(1_000_000))) }},
		{"xlsx: 500 MB of rows, packed", "a.xlsx", "", packed("<row><c><v>1</v></c></row>", s.of(500*mega))},
		{"xlsx: 190 MB of full rows, packed", "a.xlsx", "", packed("<row>"+strings.Repeat(`<c t="inlineStr"><is><t>Foxglove</t></is></c>`, 30)+"</row>", s.of(190*mega))},
		{"xlsx: 190 MB of empty rows, packed", "a.xlsx", "", packed("<row/>", s.of(190*mega))},
		{"xlsx: a text of 190 MB, packed", "a.xlsx", "", func() string {
			return workbook(bomb("", sheetHead+"<sheetData>"+insuredRow+`<row><c t="inlineStr"><is><t>`, "0", 190*mega, "</t></is></c></row></sheetData></worksheet>"))
		}},
		{"xlsx: two billion shared texts by their number", "a.xlsx", "", shared(xmlHead + `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" count="2000000000" uniqueCount="2000000000"><si><t>Named Insured</t></si></sst>`)},
		{"xlsx: 190 MB of shared texts, packed", "a.xlsx", "", func() string {
			return cells(insured, bomb("xl/sharedStrings.xml", xmlHead+`<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">`, "<si><t>a</t></si>", s.of(190*mega), "</sst>"))
		}},
		{"xlsx: 100,000 cells share 8 MB of blanks", "a.xlsx", "", func() string {
			return cells("<sheetData>"+insuredRow+strings.Repeat("<row>"+strings.Repeat(`<c t="s"><v>0</v></c>`, 50)+"</row>", s.of(2000))+"</sheetData>",
				bomb("xl/sharedStrings.xml", xmlHead+`<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>`, " ", 7*mega, "</t></si></sst>"))
		}},
		{"xlsx: 10^8 laughs", "a.xlsx", "", shared(xmlHead + entities + `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>&g;</t></si></sst>`)},
		{"xlsx: an external entity", "a.xlsx", "", shared(xmlHead + external + `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>&g;</t></si></sst>`)},
		{"xlsx: all cells are one merged cell", "a.xlsx", "", cells(insured + `<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>`)},
		{"xlsx: 100,000 merged cells", "a.xlsx", "", func() string {
			return cells(insured + "<mergeCells>" + strings.Repeat(`<mergeCell ref="A1:Z1000"/>`, many) + "</mergeCells>")
		}},
		{"xlsx: 2,000 rows that 50,000 merged cells cover", "a.xlsx", "", func() string {
			rows := "<sheetData>" + strings.Repeat(insuredRow, s.of(2000)) + "</sheetData>"
			return cells(rows + "<mergeCells>" + strings.Repeat(`<mergeCell ref="A1:XFD1048576"/>`, many/2) + "</mergeCells>")
		}},
		{"xlsx: 20,000 merged cells cover the same 400 rows of 200,000", "a.xlsx", "", func() string {
			return cells("<sheetData>" + insuredRow + `<row r="200"><c r="ALL200"><v>1</v></c></row><row r="200000"><c r="A200000"><v>1</v></c></row></sheetData><mergeCells>` + strings.Repeat(`<mergeCell ref="A1:ALL400"/>`, many/5) + "</mergeCells>")
		}},
		{"xlsx: all columns are hidden 100,000 times", "a.xlsx", "", func() string {
			return cells("<cols>" + strings.Repeat(`<col min="1" max="2147483647" hidden="1"/>`, many) + "</cols>" + insured)
		}},
		{"xlsx: 10,000 sheets are the same file", "a.xlsx", "", manySheets},
		{"xlsx: 100,000 styles of 10,000 conditions", "a.xlsx", "", func() string {
			return cells("<sheetData>"+insuredRow+`<row><c s="99999"><v>1</v></c><c s="-1"><v>2</v></c></row></sheetData>`, entry{name: "xl/styles.xml", content: styles})
		}},
		{"xlsx: a format of 500,000 placeholders and texts", "a.xlsx", "", func() string { return formatted(strings.Repeat("0 ", s.of(500_000)), 1) }},
		{"xlsx: 10,000 numbers in a format of 32,000 placeholders and texts", "a.xlsx", "", func() string { return formatted(strings.Repeat("0 ", 32_000), s.of(200)) }},
		{"xlsx: 800,000 numbers in a format of 64,000 placeholders", "a.xlsx", "", func() string { return formatted(strings.Repeat("0", 64_000), s.of(16_000)) }},
		{"xlsx: 800,000 numbers with a text of 250 bytes", "a.xlsx", "", func() string { return formatted("0&quot;"+strings.Repeat("a", 250)+"&quot;", s.of(16_000)) }},
		{"xlsx: a format that ends in a bracket", "a.xlsx", "", formatted("0 [", 1)},
		{"xlsx: a number of a million digits", "a.xlsx", "", func() string { return row("", "<c><v>"+strings.Repeat("9", 1_000_000)+"</v></c>") }},
		{"xlsx: a date of the year 10^300", "a.xlsx", "", row("", `<c s="1"><v>1e300</v></c><c t="d"><v>99999999-99-99</v></c><c><v>NaN</v></c>`)},
		{"xlsx: cut", "a.xlsx", "damaged Excel workbook", func() string { text := cells(insured); return text[:len(text)*2/3] }},
	}
}
