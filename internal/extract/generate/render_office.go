package generate

import (
	"encoding/csv"
	"fmt"
	"html"
	"strconv"
	"strings"

	"understudy.example/internal/document/documenttest"
)

const xmlHead = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"

// archive packs the files of an office document.
func archive(pairs ...string) string {
	content, err := documenttest.Archive(pairs...)
	if err != nil {
		panic(err) // writing to memory does not fail
	}
	return content
}

// wordPage writes the page as a Word document. Entries are paragraphs, a table of two columns, or
// boxes: cells that hold a label above a value.
func (p *paper) wordPage(boxed bool) string {
	var b strings.Builder
	style, bullet := p.IntN(3), p.bullet()
	for _, block := range p.blocks {
		switch {
		case block.heading != "":
			b.WriteString(paragraph(`<w:pPr><w:pStyle w:val="Heading2"/></w:pPr>`, block.heading))
		case block.text != "":
			for line := range strings.Lines(block.text) {
				b.WriteString(paragraph("", strings.TrimRight(line, "\n")))
			}
		case block.rows != nil:
			b.WriteString(wordTable(block.rows))
		case block.items != nil:
			for i, item := range block.items {
				b.WriteString(paragraph("", strings.TrimSpace(bullet(item, i))))
			}
		}
		switch {
		case len(block.entries) == 0:
		case boxed:
			var rows [][]string
			for i, e := range block.entries {
				if i%2 == 0 {
					rows = append(rows, nil)
				}
				rows[i/2] = append(rows[i/2], e.label+"\n"+e.value)
			}
			b.WriteString(wordTable(rows))
		case style == 0:
			var rows [][]string
			for _, e := range block.entries {
				rows = append(rows, []string{e.label, e.value})
			}
			b.WriteString(wordTable(rows))
		default:
			for _, e := range block.entries {
				separator := map[int]string{1: ": ", 2: "\t"}[style]
				b.WriteString(paragraph("", e.label+separator+e.value))
			}
		}
	}
	return word(b.String())
}

func paragraph(properties, text string) string {
	text = strings.ReplaceAll(html.EscapeString(text), "\t", "</w:t><w:tab/><w:t>")
	return "<w:p>" + properties + `<w:r><w:t xml:space="preserve">` + text + "</w:t></w:r></w:p>"
}

func wordTable(rows [][]string) string {
	var b strings.Builder
	b.WriteString("<w:tbl>")
	for _, row := range rows {
		b.WriteString("<w:tr>")
		for _, cell := range row {
			b.WriteString("<w:tc>")
			for line := range strings.SplitSeq(cell, "\n") {
				b.WriteString(paragraph("", line))
			}
			b.WriteString("</w:tc>")
		}
		b.WriteString("</w:tr>")
	}
	return b.String() + "</w:tbl>"
}

func word(body string) string {
	return archive(
		"[Content_Types].xml", xmlHead+`<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
		"_rels/.rels", xmlHead+`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
		"word/document.xml", xmlHead+`<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>`+body+"</w:body></w:document>")
}

// sheet is a sheet of a workbook. Cells are strings or int64, which become numbers.
type sheet struct {
	name string
	rows [][]any
}

// excel writes a workbook.
func excel(sheets ...sheet) string {
	const main, relation = "http://schemas.openxmlformats.org/spreadsheetml/2006/main", "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	var list, relations, types strings.Builder
	var files []string
	for i, s := range sheets {
		n := i + 1
		fmt.Fprintf(&list, `<sheet name="%s" sheetId="%d" r:id="r%d"/>`, html.EscapeString(s.name), n, n)
		fmt.Fprintf(&relations, `<Relationship Id="r%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`, n, relation, n)
		fmt.Fprintf(&types, `<Override PartName="/xl/worksheets/sheet%d.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`, n)
		files = append(files, fmt.Sprintf("xl/worksheets/sheet%d.xml", n), xmlHead+`<worksheet xmlns="`+main+`"><sheetData>`+sheetRows(s.rows)+"</sheetData></worksheet>")
	}
	const package1 = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	return archive(append([]string{
		"[Content_Types].xml", xmlHead + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>` + types.String() + "</Types>",
		"_rels/.rels", xmlHead + package1 + `<Relationship Id="r1" Type="` + relation + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/_rels/workbook.xml.rels", xmlHead + package1 + relations.String() + "</Relationships>",
		"xl/workbook.xml", xmlHead + `<workbook xmlns="` + main + `" xmlns:r="` + relation + `"><sheets>` + list.String() + "</sheets></workbook>",
	}, files...)...)
}

func sheetRows(rows [][]any) string {
	var b strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&b, `<row r="%d">`, i+1)
		for j, cell := range row {
			reference := columnName(j) + strconv.Itoa(i+1)
			switch v := cell.(type) {
			case int64:
				fmt.Fprintf(&b, `<c r="%s"><v>%d</v></c>`, reference, v)
			case string:
				if v != "" {
					fmt.Fprintf(&b, `<c r="%s" t="inlineStr"><is><t xml:space="preserve">%s</t></is></c>`, reference, html.EscapeString(v))
				}
			}
		}
		b.WriteString("</row>")
	}
	return b.String()
}

func columnName(index int) string {
	if index < 26 {
		return string(rune('A' + index))
	}
	return columnName(index/26-1) + columnName(index%26)
}

// separated writes rows as CSV.
func (p *paper) separated(rows [][]any) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	if p.language != "en" {
		w.Comma = ';'
	}
	for _, row := range rows {
		record := make([]string, len(row))
		for i, cell := range row {
			record[i] = fmt.Sprint(cell)
		}
		if err := w.Write(record); err != nil {
			panic(err) // writing to memory does not fail
		}
	}
	w.Flush()
	return b.String()
}
