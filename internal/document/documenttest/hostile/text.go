package hostile

import (
	"fmt"
	"strings"
)

// pages are HTML pages and XML workbooks.
func pages(s divisor) []Document {
	html := func(body string) string {
		return "<html><body><p>Named Insured: Foxglove Bakery LLC</p>" + body + "</body></html>"
	}
	excel2003 := func(head, sheet string) string {
		return xmlHead + head + `<?mso-application progid="Excel.Sheet"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet ss:Name="A"><Table>` + sheet + "</Table></Worksheet></Workbook>"
	}
	const cell = `<Cell><Data ss:Type="String">Named Insured</Data></Cell>`
	return []Document{
		{"html: elements nested a million deep", "a.html", "", func() string { return html(nested("<div>", "", "</div>", 1_000_000)) }},
		{"html: elements nested a million deep without end", "a.html", "", func() string { return html(strings.Repeat("<b><i>", 500_000)) }},
		{"html: links and letters that overlap", "a.html", "", func() string { return html(strings.Repeat("<a><b><p></a>", many)) }},
		{"html: tables nested 50,000 deep", "a.html", "", func() string { return html(strings.Repeat("<table><tr><td>", 50_000)) }},
		{"html: a cell of two billion columns and rows", "a.html", "", html(`<table><tr><td colspan="2147483647" rowspan="2147483647">a</td><td>b</td></tr>` + strings.Repeat("<tr><td>c</td></tr>", 100) + "</table>")},
		{"html: 20,000 cells of 1,000 columns and rows", "a.html", "", func() string {
			return html("<table>" + strings.Repeat(`<tr><td colspan="1000" rowspan="65534">a</td></tr>`, 20_000) + "</table>")
		}},
		{"html: a row of a million cells", "a.html", "", func() string { return html("<table><tr>" + strings.Repeat("<td>a", 1_000_000) + "</table>") }},
		{"html: merged cells cover 140 million cells", "a.html", "", func() string {
			row := "<tr>" + strings.Repeat("<td colspan=100 rowspan=1001>a</td>", 10) + "</tr>" + strings.Repeat("<tr></tr>", 1000)
			return html("<table>" + strings.Repeat(row, s.of(140)) + "</table>")
		}},
		{"html: 100,000 media rules that do not end", "a.html", "", func() string { return html("<style>.a{display:none}" + strings.Repeat("@media ", many) + "</style>") }},
		{"html: 140,000 entries of lists in 500 elements", "a.html", "", func() string { return html(slowPage(s.of(140_000))) }},
		{"html: an attribute of 20 MB", "a.html", "", func() string { return html(`<p a="` + strings.Repeat("x", 20*mega) + `">b</p>`) }},
		{"html: a million attributes", "a.html", "", func() string { return html("<p " + strings.Repeat("a=1 ", 1_000_000) + ">b</p>") }},
		{"html: a comment without end", "a.html", "", func() string { return html("<!-- " + strings.Repeat("<!--", 2*mega)) }},
		{"html: 10 MB of opening brackets", "a.html", "", func() string { return html(strings.Repeat("<", s.of(10*mega))) }},
		{"html: a million character references", "a.html", "", func() string {
			return html(strings.Repeat("&#x10ffff;&CounterClockwiseContourIntegral;&#99999999999;&amp", 250_000))
		}},
		{"xls: XML with 10^8 laughs", "a.xls", "", excel2003(entities, "<Row>"+cell+`<Cell><Data ss:Type="String">&g;</Data></Cell></Row>`)},
		{"xls: XML with an external entity", "a.xls", "", excel2003(external, "<Row>"+cell+`<Cell><Data ss:Type="String">&g;</Data></Cell></Row>`)},
		{"xls: XML with a row of the number two billion", "a.xls", "", excel2003("", `<Row ss:Index="2000000000"><Cell ss:Index="2000000000" ss:MergeAcross="2000000000" ss:MergeDown="2000000000"><Data ss:Type="String">a</Data></Cell></Row><Row>`+cell+"</Row>")},
		{"xls: XML with 300,000 rows", "a.xls", "", func() string { return excel2003("", strings.Repeat("<Row>"+cell+"</Row>", 300_000)) }},
		{"xml: elements nested a million deep", "a.xml", "XML document: not supported", func() string { return xmlHead + nested("<a>", "", "</a>", 1_000_000) }},
	}
}

// slowPage returns n pairs of elements. To parse each element, the parser searches all open ones.
func slowPage(n int) string { return strings.Repeat("<div>", 500) + strings.Repeat("<dd>a<dt>b", n) }

// schedule returns a function that writes a statement of values.
func schedule(rows int) func() string {
	return func() string {
		var b strings.Builder
		b.WriteString("Loc #,Address,City,State,Zip,Building Value,Contents Value,BI Value\n")
		for i := range rows {
			fmt.Fprintf(&b, "%d,%d Mill Street,Springfield,IL,62701,%d,%d,%d\n", i, i, 1000*i, 100*i, 10*i)
		}
		return b.String()
	}
}

// texts are plain texts, tables and rich text.
func texts(s divisor) []Document {
	repeated := func(head, unit string, n int) func() string {
		return func() string { return head + strings.Repeat(unit, n) }
	}
	const rtf = `{\rtf1\ansi Named Insured: Foxglove Bakery LLC\par `
	return []Document{
		{"txt: a line of 60 MB", "a.txt", "", repeated(letter, "a", s.of(60*mega))},
		{"txt: 20 million empty lines", "a.txt", "", repeated(letter, "\n", s.of(20*mega))},
		{"txt: 300,000 insureds", "a.txt", "", repeated(letter, "Named Insured: Quill and Sons\n", s.of(300_000))},
		{"txt: 100,000 different insureds", "a.txt", "", func() string {
			var b strings.Builder
			for i := range s.of(many) {
				fmt.Fprintf(&b, "Named Insured: Quill %d and Sons\nEffective Date: 04/%02d/20%02d\nTotal Insured Value: $%d\n", i, i%30+1, i%100, i)
			}
			return b.String()
		}},
		{"txt: a label of a million blanks", "a.txt", "", func() string { return letter + "Named Insured" + strings.Repeat(" \t", 500_000) + ": A" }},
		{"txt: a million digits", "a.txt", "", repeated(letter+"Total Insured Value: $", "9", 1_000_000)},
		{"txt: 500,000 dates in a line", "a.txt", "", repeated(letter+"Effective Date: ", "01/02/2026 ", 500_000)},
		{"txt: 500,000 amounts and addresses in a line", "a.txt", "", repeated(letter, "$1,234.56 12 Mill Street, Springfield, IL 62701 ", 500_000)},
		{"txt: a mark on a letter a million times", "a.txt", "", repeated(letter+"Insured: e", "\u0301", 1_000_000)},
		{"txt: characters that are no text", "a.txt", "", repeated(letter+strings.Repeat("Named Insured: A\n", 1000), "\xff\xfe\x80", 10_000)},
		{"txt: half a character of UTF-16", "a.txt", "", repeated("\xff\xfe", "\x00\xd8", many)},
		{"txt: only NUL", "a.txt", "the file is empty", repeated("", "\x00", mega)},
		{"txt: no bytes of use", "a.txt", "the file is empty", repeated("", " \n", many)},
		{"txt: 1,000 lines of 3,000 marks", "a.md", "", repeated(letter, strings.Repeat("# # # ", 1000)+"\n", s.of(1000))},
		{"txt: 500,000 lines of marks", "a.md", "", repeated(letter, "# # #\n", s.of(500_000))},
		{"txt: 8,000 lines in columns that are not aligned", "a.txt", "", func() string {
			var b strings.Builder
			b.WriteString(letter)
			for i := range s.of(8000) {
				b.WriteString(strings.Repeat("x", i*7919%13+1) + strings.Repeat("   city", 7) + "\n")
			}
			return b.String()
		}},
		{"txt: 200,000 rulers of bars", "a.txt", "", repeated(letter+"\n", "|---|\n", s.of(200_000))},
		{"txt: 200,000 rulers of crosses", "a.txt", "", repeated(letter+"\n", "+---+\n", s.of(200_000))},
		{"txt: 200,000 rulers of tabs", "a.txt", "", repeated(letter+"\n", "--\t--\t---\n", s.of(200_000))},
		{"txt: 200,000 rulers of columns", "a.txt", "", repeated(letter+"\n", "---   ---   ---\n", s.of(200_000))},
		{"txt: 4 lines of 250,000 columns", "a.txt", "", repeated(letter+"\n", strings.Repeat("a   ", s.of(250_000))+"a\n", 4)},
		{"txt: 400 lines of 2,500 columns that are not aligned", "a.txt", "", func() string {
			line := strings.Repeat("a   ", s.of(2500)) + "a\n"
			return letter + "\n" + strings.Repeat(line, 400) + " b" + line
		}},
		{"csv: a row of 20 million cells", "a.csv", "", repeated("Address,City\n", ",", s.of(20*mega))},
		{"csv: a million rows of a cell", "a.csv", "", repeated("Address,City\n", "a\n", 1_000_000)},
		{"csv: 500,000 locations", "a.csv", "", schedule(s.of(500_000))},
		{"csv: 190,000 locations", "a.csv", "", schedule(s.of(190_000))},
		{"csv: a quotation mark without end", "a.csv", "", repeated("Address,City\n\"", "a,b\n", s.of(5*mega))},
		{"csv: 10 million quotation marks", "a.csv", "", repeated("Address,City\n", "\"", s.of(10*mega))},
		{"csv: 1,000 columns of labels in 1,000 rows", "a.csv", "", func() string {
			return strings.Repeat(strings.Repeat("Building Value,City,", 500)+"\n", s.of(1000))
		}},
		{"csv: a cell of 30 MB", "a.csv", "", repeated("Address,City\n1,", "a", s.of(30*mega))},
		{"csv: 1,000 columns of unknown labels in 1,000 rows", "a.csv", "", func() string {
			var row strings.Builder
			for i := range 1000 {
				fmt.Fprintf(&row, "Label %d:,", i)
			}
			return strings.Repeat(row.String()+"\n", s.of(1000))
		}},
		{"csv: 96,000 rows that are headers", "a.csv", "", func() string {
			var b strings.Builder
			b.WriteString("Bldg,4,Insured,FEIN,\"January 2, 2026\",Loc 1 / Bldg 2,and,Roof\n")
			for i := range s.of(32_000) {
				fmt.Fprintf(&b, "Insured,Location %d,Zip,Foxglove Holdings Inc.,Contact,Premium,No,Reserved\nMailing Address,Location #,\"4 Dock Road, Springfield, IL 6270%d\",\"$%d,234,567.00\",john.doe@broker.example,Year Built,X,Incurred\nNamed Insured,Contents,State,Quill%d and Sons LLC,Producer,Deductible,Yes,Paid\n", i, i, i+1, i)
			}
			return b.String()
		}},
		{"rtf: groups nested a million deep", "a.rtf", "", repeated(rtf, "{", 1_000_000)},
		{"rtf: a million groups end that never began", "a.rtf", "", repeated(rtf, "}", 1_000_000)},
		{"rtf: two billion bytes of binary data", "a.rtf", "", rtf + `\bin2147483647 x}`},
		{"rtf: numbers without bounds", "a.rtf", "", rtf + `\u99999999999999999999 \'zz\uc2147483647\u65? \trowd\cellx-2147483648\cell\row}`},
		{"rtf: a million cells in a row", "a.rtf", "", func() string {
			return rtf + `\trowd` + strings.Repeat(`\cellx1`, s.of(1_000_000)) + strings.Repeat(`\intbl a\cell`, s.of(1_000_000)) + `\row}`
		}},
		{"rtf: a picture of 30 MB", "a.rtf", "", func() string { return rtf + `{\pict\pngblip ` + strings.Repeat("ff", s.of(15*mega)) + "}}" }},
		{"rtf: a control word of 10 MB", "a.rtf", "", repeated(rtf+`\`, "a", s.of(10*mega))},
		{"rtf: 2 million control words", "a.rtf", "", repeated(rtf, `\b\i0`, mega)},
	}
}
