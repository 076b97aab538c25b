package main

import (
	"encoding/xml"
	"fmt"
	"strings"
	"time"
)

const (
	xmlHead         = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	wordSpace       = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
	relationSpace   = `xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	relationType    = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	wordContentType = "application/vnd.openxmlformats-officedocument.wordprocessingml."
)

// letter returns a broker's letter with a table of locations as a Word document.
func letter() ([]byte, error) {
	parts := []struct{ name, text string }{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Override PartName="/word/document.xml" ContentType="` + wordContentType + `document.main+xml"/>` +
			`<Override PartName="/word/header1.xml" ContentType="` + wordContentType + `header+xml"/>` +
			`<Override PartName="/word/styles.xml" ContentType="` + wordContentType + `styles+xml"/>` +
			`<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>`},
		{"_rels/.rels", relationships(relationType+"officeDocument", "word/document.xml",
			"http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties", "docProps/core.xml")},
		{"docProps/core.xml", properties()},
		{"word/document.xml", `<w:document ` + wordSpace + ` ` + relationSpace + `><w:body>` + body() +
			`<w:sectPr><w:headerReference w:type="default" r:id="rId2"/><w:pgSz w:w="12240" w:h="15840"/>` +
			`<w:pgMar w:top="1800" w:right="1080" w:bottom="1080" w:left="1080" w:header="720" w:footer="720" w:gutter="0"/></w:sectPr></w:body></w:document>`},
		{"word/_rels/document.xml.rels", relationships(relationType+"styles", "styles.xml", relationType+"header", "header1.xml")},
		{"word/header1.xml", `<w:hdr ` + wordSpace + `>` +
			paragraph(textRun("Wrenfold Insurance Brokers, Inc.", true)) +
			paragraph(textRun("615 Tinderbox Street, Suite 200, Seattle, WA 98101", false)) +
			paragraph(textRun("Phone: (206) 555-0125   desk@wrenfold.example", false)) + `</w:hdr>`},
		{"word/styles.xml", `<w:styles ` + wordSpace + `><w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/><w:sz w:val="21"/></w:rPr></w:rPrDefault>` +
			`<w:pPrDefault><w:pPr><w:spacing w:after="80"/></w:pPr></w:pPrDefault></w:docDefaults></w:styles>`},
	}
	entries := make([]entry, len(parts))
	for i, part := range parts {
		entries[i] = entry{part.name, []byte(xmlHead + part.text)}
	}
	return writeZip(entries)
}

// relationships returns a relationships part. The arguments are alternating types
// and targets.
func relationships(pairs ...string) string {
	var out strings.Builder
	out.WriteString(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&out, `<Relationship Id="rId%d" Type="%s" Target="%s"/>`, i/2+1, pairs[i], pairs[i+1])
	}
	out.WriteString(`</Relationships>`)
	return out.String()
}

func properties() string {
	stamp := documentTime.Format(time.RFC3339)
	return `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"` +
		` xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">` +
		`<dc:title>Submission letter</dc:title><dc:creator>Broker desk</dc:creator>` +
		`<dcterms:created xsi:type="dcterms:W3CDTF">` + stamp + `</dcterms:created>` +
		`<dcterms:modified xsi:type="dcterms:W3CDTF">` + stamp + `</dcterms:modified></cp:coreProperties>`
}

func body() string {
	var out strings.Builder
	write := func(text string) { out.WriteString(paragraph(textRun(text, false))) }
	write("April 6, 2026")
	write("To: Property underwriting")
	out.WriteString(paragraph(textRun("Re: Bramblecote Brewing Company, LLC - request for a property quote", true)))
	write("Dear Underwriters,")
	write("On behalf of our client we ask for your terms for the risk below.")
	for _, p := range []pair{
		{"Insured", "Bramblecote Brewing Company, LLC"},
		{"Insured address", "73 Hopyard Lane, Portland, OR 97209"},
		{"Website", "www.bramblecote.example"},
		{"Telephone", "(503) 555-0190"},
		{"Year established", "2011"},
		{"Annual revenue", "$9,600,000"},
		{"Number of employees", "58"},
		{"Business description", "Craft brewery with a taproom, a bottling hall and a warehouse for its own beer."},
		{"Class of business", "Commercial Property"},
		{"Coverages requested", "Building, Contents, Stock, Business income"},
		{"Period of insurance", "June 1, 2026 to June 1, 2027"},
		{"Limit of liability", "$12,500,000"},
		{"Target premium", "$54,000"},
		{"Indemnity period", "12 months"},
	} {
		out.WriteString(paragraph(textRun(p.label+": ", true) + textRun(p.value, false)))
	}
	write("The locations and their values are:")
	out.WriteString(table([][]string{
		{"Location", "Address", "City", "State", "Zip", "Construction", "Sprinklers", "Building", "Contents", "Stock", "Business income"},
		{"1", "73 Hopyard Lane", "Portland", "OR", "97209", "Joisted masonry", "Y", "$2,450,000", "$1,980,000", "$420,000", "$1,600,000"},
		{"2", "18 Maltkiln Road", "Salem", "OR", "97301", "Non-combustible", "N", "$1,300,000", "$260,000", "$910,000", "$350,000"},
		{"3", "402 Copper Kettle Street", "Spokane", "WA", "99201", "Frame", "N", "$875,000", "$540,000", "$95,000", "$480,000"},
	}))
	write("We look forward to your reply.")
	write("Yours sincerely,")
	write("Broker desk")
	write("Wrenfold Insurance Brokers, Inc.")
	return out.String()
}

func paragraph(runs string) string { return "<w:p>" + runs + "</w:p>" }

func textRun(text string, bold bool) string {
	var out strings.Builder
	out.WriteString("<w:r>")
	if bold {
		out.WriteString("<w:rPr><w:b/></w:rPr>")
	}
	out.WriteString(`<w:t xml:space="preserve">`)
	xml.EscapeText(&out, []byte(text)) // a strings.Builder never fails
	out.WriteString("</w:t></w:r>")
	return out.String()
}

// table returns a table with borders. Its first row is the header.
func table(rows [][]string) string {
	var out strings.Builder
	out.WriteString(`<w:tbl><w:tblPr><w:tblW w:w="5000" w:type="pct"/><w:tblBorders>`)
	for _, side := range []string{"top", "left", "bottom", "right", "insideH", "insideV"} {
		fmt.Fprintf(&out, `<w:%s w:val="single" w:sz="4" w:space="0" w:color="808080"/>`, side)
	}
	out.WriteString(`</w:tblBorders></w:tblPr><w:tblGrid>` + strings.Repeat("<w:gridCol/>", len(rows[0])) + `</w:tblGrid>`)
	for i, row := range rows {
		out.WriteString("<w:tr>")
		for _, cell := range row {
			out.WriteString(`<w:tc><w:tcPr/>` + paragraph(textRun(cell, i == 0)) + "</w:tc>")
		}
		out.WriteString("</w:tr>")
	}
	out.WriteString("</w:tbl>")
	return out.String()
}
