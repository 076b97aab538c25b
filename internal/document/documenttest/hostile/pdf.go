package hostile

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// pdf returns a PDF of objects, numbered from 1, of which the first is the catalog.
// trailer is added to its trailer.
func pdf(trailer string, objects ...string) string {
	var text, table strings.Builder
	text.WriteString("%PDF-1.7\n")
	for i, object := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", text.Len())
		fmt.Fprintf(&text, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start, size := text.Len(), len(objects)+1
	fmt.Fprintf(&text, "xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", size, &table, size, trailer, start)
	return text.String()
}

const (
	pdfCatalog = "<</Type/Catalog/Pages 2 0 R>>"
	pdfPages   = "<</Type/Pages/Kids[3 0 R]/Count 1>>"
	pdfPage    = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>/XObject<</X 6 0 R>>>>>>"
	pdfFont    = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
	pdfText    = "BT /F1 10 Tf 50 700 Td (Named Insured: Foxglove Bakery LLC) Tj ET\n"
)

// pdfStream returns a stream object.
func pdfStream(dict, content string) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", dict, len(content), content)
}

// pdfWith returns a PDF of one page with the content, and with further objects from
// number 6.
func pdfWith(content string, more ...string) string {
	return pdf("", append([]string{pdfCatalog, pdfPages, pdfPage, pdfStream("", content), pdfFont}, more...)...)
}

// pdfWithStream is pdfWith with an object of the caller's own for the content.
func pdfWithStream(object string) string {
	return pdf("", pdfCatalog, pdfPages, pdfPage, object, pdfFont)
}

// pdfs are PDF documents whose structure is hostile.
func pdfs(s divisor) []Document {
	manyKids := func() string {
		objects := []string{pdfCatalog, fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", strings.Repeat("3 0 R ", many), many), pdfPage, pdfStream("", pdfText), pdfFont}
		return pdf("", objects...)
	}
	manyObjects := func() string {
		objects := []string{pdfCatalog, pdfPages, pdfPage, pdfStream("", pdfText), pdfFont}
		for range s.of(many) {
			objects = append(objects, "<</A 7 0 R/B[8 0 R 9 0 R]>>")
		}
		return pdf("", objects...)
	}
	manyUpdates := func() string {
		text := pdfWith(pdfText)
		previous := strings.LastIndex(text, "xref\n0")
		var b strings.Builder
		b.WriteString(text)
		for range 5_000 {
			start := b.Len()
			fmt.Fprintf(&b, "xref\n0 0\ntrailer\n<</Size 6/Root 1 0 R/Prev %d>>\nstartxref\n%d\n%%%%EOF\n", previous, start)
			previous = start
		}
		return b.String()
	}
	manyFields := func() string {
		objects := []string{"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[" + strings.Repeat("6 0 R ", many) + "]>>>>", pdfPages, pdfPage, pdfStream("", pdfText), pdfFont, "<</FT/Tx/T(a)/V(b)/Rect[0 0 9 9]/P 3 0 R>>"}
		return pdf("", objects...)
	}
	manyAnswers := func() string {
		text, fields := strings.Builder{}, strings.Builder{}
		text.WriteString("BT /F1 10 Tf 1 0 0 1 0 540 Tm (Any cranes in use?) Tj ")
		objects := make([]string, 7)
		for i := range s.of(4_000) {
			fmt.Fprintf(&text, "1 0 0 1 %d 540 Tm (No) Tj ", 200+60*i)
			fmt.Fprintf(&fields, "%d 0 R ", 7+i)
			objects = append(objects, fmt.Sprintf("<</Subtype/Widget/T(Check Box%d)/FT/Btn/V/Yes/AS/Yes/Rect[%d 538 %d 550]/P 3 0 R>>", i, 193+60*i, 199+60*i))
		}
		copy(objects[1:], []string{pdfCatalog, pdfPages, strings.TrimSuffix(pdfPage, ">>") + "/Annots[" + fields.String() + "]>>", pdfStream("", text.String()+"ET\n"), pdfFont, "<<>>"})
		return pdf("", objects[1:]...)
	}
	fieldLoop := pdf("", "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[6 0 R]>>>>", pdfPages, pdfPage, pdfStream("", pdfText), pdfFont, "<</T(a)/Kids[7 0 R 7 0 R]>>", "<</T(b)/Kids[6 0 R 6 0 R]/Parent 6 0 R>>")
	namesLoop := pdf("", "<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles 6 0 R>>>>", pdfPages, pdfPage, pdfStream("", pdfText), pdfFont, "<</Kids[6 0 R 6 0 R]/Limits[(a)(z)]>>")
	selfEmbedded := func() string {
		inner := pdfWith(pdfText)
		for i := range 30 {
			inner = pdf("", "<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles<</Names[(a) 6 0 R]>>>>>>", pdfPages, pdfPage, pdfStream("", pdfText), pdfFont,
				fmt.Sprintf("<</Type/Filespec/F(%d.pdf)/EF<</F 7 0 R>>>>", i), pdfStream("/Type/EmbeddedFile", inner))
		}
		return inner
	}
	encryption := "<</Filter/Standard/V %d/R %d/Length %d/P -4/O<" + strings.Repeat("5a", 32) + ">/U<" + strings.Repeat("a5", 32) + ">>>"
	encrypted := func(v, r, length int) string {
		return pdf("/Encrypt 6 0 R/ID[<0001020304050607><0001020304050607>]", pdfCatalog, pdfPages, pdfPage, pdfStream("", pdfText), pdfFont, fmt.Sprintf(encryption, v, r, length))
	}
	return []Document{
		{"pdf: the kids of the page tree are the tree", "a.pdf", "", pdf("", pdfCatalog, "<</Type/Pages/Kids[2 0 R]/Count 2000000000>>")},
		{"pdf: a page tree of two nodes in a cycle", "a.pdf", "", pdf("", pdfCatalog, "<</Type/Pages/Kids[3 0 R 3 0 R]/Count 9>>", "<</Type/Pages/Parent 2 0 R/Kids[2 0 R 2 0 R]/Count 9>>")},
		{"pdf: a page is its own parent", "a.pdf", "", pdf("", pdfCatalog, pdfPages, "<</Type/Page/Parent 3 0 R/Contents 4 0 R>>", pdfStream("", pdfText))},
		{"pdf: two billion pages", "a.pdf", "", pdf("", pdfCatalog, "<</Type/Pages/Kids[3 0 R]/Count 2000000000>>", pdfPage, pdfStream("", pdfText), pdfFont)},
		{"pdf: 100,000 times the same page", "a.pdf", "", manyKids},
		{"pdf: 100,000 objects", "a.pdf", "", manyObjects},
		{"pdf: 5,000 updates", "a.pdf", "", manyUpdates},
		{"pdf: the catalog is a reference to itself", "a.pdf", "damaged PDF document", pdf("", "1 0 R")},
		{"pdf: the cross-reference table is beyond the file", "a.pdf", "", strings.Replace(pdfWith(pdfText), "startxref\n", "startxref\n99999999999", 1)},
		{"pdf: the previous cross-reference table is the same", "a.pdf", "", func() string {
			text := pdfWith(pdfText)
			return strings.Replace(text, "/Root 1 0 R", fmt.Sprintf("/Root 1 0 R/Prev %d", strings.LastIndex(text, "xref\n0")), 1)
		}},
		{"pdf: a cross-reference table of two billion entries", "a.pdf", "", strings.Replace(pdfWith(pdfText), "xref\n0 6", "xref\n0 2000000000", 1)},
		{"pdf: objects numbered from two billion", "a.pdf", "", strings.Replace(pdfWith(pdfText), "xref\n0 6", "xref\n2000000000 6", 1)},
		{"pdf: the trailer claims two billion objects", "a.pdf", "", strings.Replace(pdfWith(pdfText), "/Size 6", "/Size 2147483647", 1)},
		{"pdf: arrays nested a million deep", "a.pdf", "", func() string { return pdfWith(pdfText, nested("[", "", "]", 1_000_000)) }},
		{"pdf: dictionaries nested 100,000 deep", "a.pdf", "", func() string { return pdfWith(pdfText, nested("<</A", "1", ">>", many)) }},
		{"pdf: a string that does not end", "a.pdf", "", func() string { return pdfWith(pdfText, strings.Repeat("(", 10*mega)) }},
		{"pdf: a name of 10 MB", "a.pdf", "", func() string { return pdfWith(pdfText, "/"+strings.Repeat("A", 10*mega)) }},
		{"pdf: form fields in a cycle", "a.pdf", "", fieldLoop},
		{"pdf: 100,000 form fields", "a.pdf", "", manyFields},
		{"pdf: 4,000 answers to a question", "a.pdf", "", manyAnswers},
		{"pdf: names of embedded files in a cycle", "a.pdf", "", namesLoop},
		{"pdf: 30 PDFs within each other", "a.pdf", "", selfEmbedded},
		{"pdf: encrypted", "a.pdf", "password protected", encrypted(1, 2, 40)},
		{"pdf: encrypted with a key of two billion bits", "a.pdf", "password protected", encrypted(2, 3, 2_000_000_000)},
		{"pdf: encrypted with an unknown method", "a.pdf", "encrypted with an unsupported method", encrypted(99, 99, 8)},
		{"pdf: cut after the header", "a.pdf", "damaged PDF document", "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"},
		{"pdf: cut in a stream", "a.pdf", "damaged PDF document", func() string { text := pdfWith(strings.Repeat(pdfText, 100)); return text[:len(text)/2] }},
		{"pdf: 5 MB of noise", "a.pdf", "damaged PDF document", func() string { return "%PDF-1.7\n" + strings.Repeat("1 0 obj << /Length 9 0 R >> stream\n", 150_000) }},
	}
}

// pdfStreams are PDF documents of which a stream is hostile.
func pdfStreams(s divisor) []Document {
	// The stream is its own length and filter: 606 bytes with the comment.
	itself := pdf("", pdfCatalog, pdfPages, pdfPage, "<</Length 4 0 R/Filter 4 0 R>>\nstream\n"+pdfText+"endstream", pdfFont)
	itself += "%" + strings.Repeat(" ", max(606-len(itself)-2, 0)) + "\n"
	flated := func(dict, head, filler string, size int) func() string {
		return func() string {
			packed := deflate(head, filler, size, "")
			zlib := binary.BigEndian.AppendUint32(append([]byte("\x78\xda"), packed.deflated...), packed.adler32)
			return pdfWithStream(pdfStream(dict, string(zlib)))
		}
	}
	form := "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X %d 0 R>>/Font<</F1 5 0 R>>>>"
	laughs := func() string {
		var forms []string
		for i := range 12 {
			forms = append(forms, pdfStream(fmt.Sprintf(form, 7+i), strings.Repeat("/X Do ", 10)+pdfText))
		}
		return pdfWith("/X Do", append(forms, pdfStream("/Type/XObject/Subtype/Form/BBox[0 0 9 9]", pdfText))...)
	}
	objectStream := func(dict string) string {
		return strings.Replace(pdfWith(pdfText, pdfStream("/Type/ObjStm"+dict, "9 0 10 5 <<>> <<>>")), "trailer\n<<", "trailer\n<</XRefStm 9 ", 1)
	}
	crossReferenceStream := func(dict string) string {
		text := "%PDF-1.7\n1 0 obj\n" + pdfCatalog + "\nendobj\n"
		start := len(text)
		return text + "2 0 obj\n" + pdfStream("/Type/XRef/Root 1 0 R"+dict, strings.Repeat("\x01\x00\x00\x00", 40)) + fmt.Sprintf("\nendobj\nstartxref\n%d\n%%%%EOF\n", start)
	}
	cmap := func(ranges string) string {
		font := "<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/ToUnicode 6 0 R/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/A/W[0 2000000000 500]/DW 1000>>]>>"
		return pdf("", pdfCatalog, pdfPages, pdfPage, pdfStream("", "BT /F1 10 Tf 50 700 Td <00410042> Tj ET"), font,
			pdfStream("", "1 begincodespacerange <0000> <ffff> endcodespacerange\n"+ranges))
	}
	// The fonts are direct objects in the resources of the page, without object numbers.
	fontsOfPage := func(fonts, uses int) string {
		var resources, content strings.Builder
		for i := range fonts {
			fmt.Fprintf(&resources, "/G%d<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/ToUnicode 6 0 R/DescendantFonts[<</W[0 200000 500]>>]>>", i)
		}
		for i := range uses {
			fmt.Fprintf(&content, "/G%d 10 Tf ", i%fonts)
		}
		page := strings.Replace(pdfPage, "/F1 5 0 R", "/F1 5 0 R"+resources.String(), 1)
		return pdf("", pdfCatalog, pdfPages, page, pdfStream("", pdfText+content.String()), pdfFont,
			pdfStream("", "1 beginbfrange <0000> <ffff> <0041> endbfrange\n"))
	}
	// Almost all of the stream is blanks.
	blanks := func(dict, content string) string {
		packed := deflate(content, " ", 15*mega, "")
		zlib := binary.BigEndian.AppendUint32(append([]byte("\x78\xda"), packed.deflated...), packed.adler32)
		return pdfStream(dict+"/Filter/FlateDecode", string(zlib))
	}
	return []Document{
		{"pdf: a font of a page is set 100,000 times", "a.pdf", "", func() string { return fontsOfPage(1, many) }},
		{"pdf: 5,000 fonts of a page", "a.pdf", "", func() string { return fontsOfPage(5_000, 5_000) }},
		{"pdf: 40 fonts with too many characters are set 100,000 times", "a.pdf", "", func() string { return fontsOfPage(40, many) }},
		{"pdf: a form of 15 MB is drawn 100,000 times", "a.pdf", "", func() string {
			return pdfWith(pdfText+strings.Repeat("/X Do ", many), blanks("/Type/XObject/Subtype/Form/BBox[0 0 9 9]", ""))
		}},
		{"pdf: 500 times a page of 15 MB", "a.pdf", "", func() string {
			return pdf("", pdfCatalog, "<</Type/Pages/Kids["+strings.Repeat("3 0 R ", 500)+"]/Count 500>>", pdfPage, blanks("", pdfText), pdfFont)
		}},
		{"pdf: a stream is its own length and filter", "a.pdf", "", itself},
		{"pdf: the length of a stream is a reference to itself", "a.pdf", "", pdf("", pdfCatalog, pdfPages, "<</Type/Page/Parent 2 0 R/Contents 5 0 R>>", "4 0 R", "<</Length 4 0 R/Filter 4 0 R>>\nstream\n"+pdfText+"endstream")},
		{"pdf: a stream of 2^63-1 bytes", "a.pdf", "", pdfWithStream("<</Length 9223372036854775807>>\nstream\n" + pdfText + "endstream")},
		{"pdf: a stream of -1 bytes", "a.pdf", "", pdfWithStream("<</Length -1>>\nstream\n" + pdfText + "endstream")},
		{"pdf: a page of 500 MB, packed", "a.pdf", "", flated("/Filter/FlateDecode", pdfText, "0 0 m 9 9 l S\n", 500*mega)},
		{"pdf: a page of 15 MB of text, packed", "a.pdf", "", flated("/Filter/FlateDecode", "", pdfText, 15*mega)},
		{"pdf: a page packed ten times", "a.pdf", "", flated("/Filter["+strings.Repeat("/FlateDecode", 10)+"]", pdfText, "\x00", 100*mega)},
		{"pdf: a page with 100,000 filters", "a.pdf", "", func() string {
			return pdfWithStream(pdfStream("/Filter["+strings.Repeat("/ASCIIHexDecode", many)+"]", "41>"))
		}},
		{"pdf: a predictor of two billion columns", "a.pdf", "", flated("/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 2000000000/Colors 32/BitsPerComponent 16>>", pdfText, "\x00", mega)},
		{"pdf: run-length packed", "a.pdf", "", func() string {
			return pdfWithStream(pdfStream("/Filter/RunLengthDecode", strings.Repeat("\x81q", 2*mega)+"\x80"))
		}},
		{"pdf: LZW of zeros", "a.pdf", "", func() string {
			return pdfWithStream(pdfStream("/Filter/LZWDecode", "\x80\x0b"+strings.Repeat("\x60\x50\x22\x0c\x0c\x85\x01", mega)))
		}},
		{"pdf: damaged packing", "a.pdf", "", pdfWithStream(pdfStream("/Filter/FlateDecode", "\x78\xda\xff\xff\xff\xff\xff\xff"))},
		{"pdf: a form that draws itself", "a.pdf", "", pdfWith("/X Do", pdfStream(fmt.Sprintf(form, 6), "/X Do /X Do "+pdfText))},
		{"pdf: forms that draw 10^12 forms", "a.pdf", "", laughs},
		{"pdf: a million saved states", "a.pdf", "", func() string { return pdfWith(strings.Repeat("q ", 1_000_000) + pdfText) }},
		{"pdf: arrays nested a million deep on a page", "a.pdf", "", func() string { return pdfWith(strings.Repeat("[", 1_000_000)) }},
		{"pdf: dictionaries nested 100,000 deep on a page", "a.pdf", "", func() string { return pdfWith(strings.Repeat("/A<<", many)) }},
		{"pdf: numbers without bounds", "a.pdf", "", pdfWith("1e99 -- .. 9999999999999999999 0 0 0 cm BT /F1 1e300 Tf (x) Tj ET " + pdfText)},
		{"pdf: 100,000 lines drawn", "a.pdf", "", func() string { return pdfWith(pdfText + strings.Repeat("0 0 m 600 0 l 0 0 m 0 800 l S ", many/2)) }},
		{"pdf: 200,000 boxes drawn", "a.pdf", "", func() string {
			var b strings.Builder
			for i := range 200_000 {
				fmt.Fprintf(&b, "%d %d 3 3 re S ", i%600, i/600)
			}
			return pdfWith(pdfText + b.String())
		}},
		{"pdf: 200,000 words at odd places", "a.pdf", "", func() string {
			var b strings.Builder
			for i := range s.of(200_000) {
				fmt.Fprintf(&b, "BT /F1 1 Tf %d %d Td (x) Tj ET ", i*7919%600, i*104_729%790)
			}
			return pdfWith(b.String())
		}},
		{"pdf: an inline image without end", "a.pdf", "", func() string { return pdfWith("BI /W 1 /H 1 ID " + strings.Repeat(" E", 2*mega)) }},
		{"pdf: an object stream of two billion objects", "a.pdf", "", objectStream("/N 2000000000/First 8")},
		{"pdf: an object stream that extends itself", "a.pdf", "", objectStream("/N 2/First 9/Extends 6 0 R")},
		{"pdf: a cross-reference stream of two billion entries", "a.pdf", "damaged PDF document", crossReferenceStream("/W[1 2 1]/Size 2000000000/Index[0 2000000000]")},
		{"pdf: a cross-reference stream with fields of 2^31 bytes", "a.pdf", "damaged PDF document", crossReferenceStream("/W[2147483647 2147483647 2147483647]/Size 9")},
		{"pdf: character codes without bounds", "a.pdf", "", cmap("1 beginbfrange <00000000> <ffffffff> <0041> endbfrange")},
		{"pdf: 100,000 ranges of character codes", "a.pdf", "", func() string {
			return cmap(strings.Repeat("1 beginbfrange <0000> <ffff> <0041> endbfrange\n", s.of(many)))
		}},
		{"pdf: one character is 10 MB of text", "a.pdf", "", func() string {
			return cmap("1 beginbfchar <0041> <" + strings.Repeat("0041", 2*mega) + "> endbfchar")
		}},
	}
}
