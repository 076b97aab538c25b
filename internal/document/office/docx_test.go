package office_test

import (
	"strings"
	"testing"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/documenttest"
)

func TestDOCX(t *testing.T) {
	rels := `<Relationships><Relationship Id="r1" Type="x/header" Target="header1.xml"/><Relationship Id="r2" Type="x/image" Target="http://e" TargetMode="External"/></Relationships>`
	tests := []struct{ name, body, want string }{
		{"paragraphs", para("One &amp; two") + `<w:p><w:pPr><w:tabs><w:tab w:pos="9"/></w:tabs></w:pPr><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r></w:p>`, "One & two\na\tb\nc\n"},
		{"deleted and instructions", `<w:p><w:del><w:r><w:t>old</w:t></w:r></w:del><w:r><w:instrText>PAGE</w:instrText><w:t>new</w:t></w:r></w:p>`, "new\n"},
		{"fallback", `<w:p><w:r><mc:AlternateContent><mc:Choice><w:txbxContent>` + para("box") + `</w:txbxContent></mc:Choice><mc:Fallback>` + para("twice") + `</mc:Fallback></mc:AlternateContent><w:t>around</w:t></w:r></w:p>`, "box\naround\n"},
		{"form content", `<w:sdt><w:sdtContent>` + para("filled") + `</w:sdtContent></w:sdt>`, "filled\n"},
		{"merged cells", `<w:tbl><w:tr>` + cell(`<w:gridSpan w:val="2"/>`, para("AB")) + cell(`<w:vMerge w:val="restart"/>`, para("C")) + `</w:tr><w:tr>` +
			cell("", para("1")) + cell("", para("2")+para("3")) + cell(`<w:vMerge/>`, "<w:p/>") + `</w:tr></w:tbl>`, "[]\n  AB|<|C|\n  1|2/3|<|\n"},
		{"table in a table", `<w:tbl><w:tr>` + cell("", para("out")+`<w:tbl><w:tr>`+cell("", para("in"))+cell("", para("ner"))+`</w:tr></w:tbl>`) + cell("", para("x")) + `</w:tr></w:tbl>`, "[]\n  out|x|\n[]\n  in|ner|\n"},
		{"frame of one cell", `<w:tbl><w:tr>` + cell("", para("a")+para("b")) + `</w:tr></w:tbl>`, "a\nb\n"},
	}
	for _, tt := range tests {
		if got := documenttest.Show(documenttest.MustRead(t, "a.docx", wordDocument(t, tt.body))[0]); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
	parts := documenttest.MustRead(t, "a.docx", wordDocument(t, para("body"), "word/_rels/document.xml.rels", rels, "word/header1.xml", `<w:hdr>`+para("top")+`</w:hdr>`, "word/embeddings/list.csv", "a,b,c\n1,2,3\n4,5,6\n"))
	if got := documenttest.Show(parts[0]); got != "body\n^ top\n" {
		t.Errorf("header: got %q", got)
	}
	if len(parts) != 2 || parts[1].Name != "list.csv" || parts[1].Depth != 1 || parts[1].Format != content.CSV {
		t.Errorf("embedded file: %+v", parts[1:])
	}
}

func TestHostileDOCX(t *testing.T) {
	tests := []struct{ name, body string }{
		{"deep", strings.Repeat("<w:tbl><w:tr><w:tc>", 100_000)},
		{"many boxes", strings.Repeat("<w:txbxContent>", 10_000)},
		{"wide spans", strings.Repeat(`<w:tbl><w:tr>`+cell(`<w:gridSpan w:val="2000000000"/>`, para("x"))+`</w:tr></w:tbl>`, 1000)},
		{"unknown entities", para("&a;&b;")},
		{"long text", para(strings.Repeat("x", content.MaxText+1))},
	}
	for _, tt := range tests {
		if _, err := documenttest.Read(t, "a.docx", wordDocument(t, para("start")+tt.body)); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	whole := wordDocument(t, para("start")+strings.Repeat(para("text"), 100))
	for cut := range len(whole) {
		if cut%29 == 0 {
			_, _ = documenttest.Read(t, "a.docx", whole[:cut])
		}
	}
}

func FuzzDOCX(f *testing.F) {
	f.Add(para("text") + `<w:tbl><w:tr>` + cell(`<w:gridSpan w:val="2"/>`, para("a")) + `</w:tr></w:tbl>`)
	f.Add(`<w:p><w:txbxContent></w:p></w:txbxContent><w:tbl></w:tc></w:tbl>`)
	f.Fuzz(func(t *testing.T, body string) { documenttest.Check(t, "a.docx", wordDocument(t, body)) })
}

func wordDocument(t testing.TB, body string, more ...string) string {
	head := `<?xml version="1.0"?><w:document xmlns:w="w" xmlns:mc="mc"><w:body>`
	return documenttest.Zip(t, append([]string{"word/document.xml", head + body + `</w:body></w:document>`}, more...)...)
}

func para(text string) string { return `<w:p><w:r><w:t>` + text + `</w:t></w:r></w:p>` }

func cell(properties, content string) string {
	return `<w:tc><w:tcPr>` + properties + `</w:tcPr>` + content + `</w:tc>`
}
