package document

import (
	"bytes"
	"io"
	"path"
	"strings"

	"understudy.example/internal/document/archive"
	"understudy.example/internal/document/compound"
	"understudy.example/internal/document/content"
	"understudy.example/internal/document/decode"
	"understudy.example/internal/document/mail"
	"understudy.example/internal/document/text"
)

// kind is the type of a file by its bytes. Notes about a kind that is not
// supported show its value.
type kind string

const (
	kindMail      kind = "mail"
	kindMSG       kind = "Outlook message"
	kindTNEF      kind = "Outlook winmail.dat"
	kindText      kind = "text"
	kindCSV       kind = "CSV table"
	kindJSON      kind = "JSON text"
	kindYAML      kind = "YAML text"
	kindHTML      kind = "HTML page"
	kindXML       kind = "XML document"
	kindRTF       kind = "RTF document"
	kindPDF       kind = "PDF document"
	kindImage     kind = "image"
	kindZIP       kind = "zip archive"
	kindOLE       kind = "OLE container"
	kindDOCX      kind = "Word document"
	kindDOC       kind = "Word 97-2003 document"
	kindXLSX      kind = "Excel workbook"
	kindXLSB      kind = "Excel binary workbook (.xlsb)"
	kindExcel2003 kind = "Excel 2003 XML workbook"
	kindXLS       kind = "Excel 97-2003 workbook"
	kindPPTX      kind = "PowerPoint presentation"
	kindPPT       kind = "PowerPoint 97-2003 presentation"
	kindODF       kind = "OpenDocument file"
)

// Bytes at the start of a file.
const (
	magicBytes      = 1 << 10  // in which the beginning of a PDF document is searched for
	recognisedBytes = 64 << 10 // that decide what kind of text it is
)

// magics are the byte sequences that mark kinds, by their position.
var magics = []struct {
	at    int
	bytes string
	kind  kind
}{
	{0, "{\\rtf", kindRTF},
	{0, "\x09\x08", kindXLS}, // Excel 5 outside of a compound file
	{0, "\x09\x02\x06\x00", kindXLS},
	{0, "\x09\x04\x06\x00", kindXLS},
	{0, "\x09\x00\x04\x00", "Excel 2 workbook"},
	{0, "\x78\x9f\x3e\x22", kindTNEF},
	{0, "\x89PNG\r\n", kindImage},
	{0, "\xff\xd8\xff", kindImage},
	{0, "GIF8", kindImage},
	{0, "II*\x00", kindImage},
	{0, "MM\x00*", kindImage},
	{8, "WEBP", kindImage},
	{4, "ftyphei", kindImage},
	{4, "ftypmif", kindImage},
	{0, "\x1f\x8b", "gzip archive"},
	{0, "Rar!\x1a", "RAR archive"},
	{0, "%!PS", "PostScript document"},
	{0, "7z\xbc\xaf\x27\x1c", "7-Zip archive"},
}

// kindOf returns the kind of a file by its content. Where that leaves a choice
// between kinds of text, the extension of the file name decides.
func kindOf(f *content.File) (kind, error) {
	head, err := headOf(f, magicBytes)
	if err != nil {
		return "", err
	}
	if len(head) == 0 {
		return "", content.Errorf(content.Empty, "the file is empty")
	}
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) && !bytes.Contains(head, []byte("%PDF-")) {
		return kindOfZIP(f)
	}
	if head, err = headOf(f, recognisedBytes); err != nil {
		return "", err
	}
	if i := bytes.Index(head[:min(len(head), magicBytes)], []byte("%PDF-")); i >= 0 && !mail.LooksLikeMail(head, false) {
		return kindPDF, nil
	}
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return kindOfZIP(f)
	case bytes.HasPrefix(head, []byte(compound.Magic)):
		return kindOfCompound(f)
	}
	for _, m := range magics {
		if len(head) >= m.at && bytes.HasPrefix(head[m.at:], []byte(m.bytes)) {
			return m.kind, nil
		}
	}
	return kindOfText(head, strings.ToLower(strings.TrimPrefix(path.Ext(f.Name), ".")))
}

// headOf returns the first bytes of a file.
func headOf(f *content.File, most int64) ([]byte, error) {
	head := make([]byte, min(f.Size, most))
	n, err := f.Data.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	return head[:n], nil
}

func kindOfZIP(f *content.File) (kind, error) {
	z, err := archive.Open(f)
	if err != nil {
		return "", err
	}
	switch {
	case z.Has("xl/workbook.bin"):
		return kindXLSB, nil
	case z.Has("word/document.xml"):
		return kindDOCX, nil
	}
	// An archive of documents may have folders of any name.
	types := string(z.Bytes("[Content_Types].xml", 1<<20))
	isOffice := types != "" || archive.HasOfficeExtension(f.Name)
	switch {
	case z.HasPrefix("word/") && isOffice:
		return kindDOCX, nil
	case z.Has("xl/workbook.xml"), z.HasPrefix("xl/") && isOffice:
		return kindXLSX, nil
	case z.HasPrefix("ppt/") && isOffice:
		return kindPPTX, nil
	case strings.HasPrefix(string(z.Bytes("mimetype", 100)), "application/vnd.oasis.opendocument"):
		return kindODF, nil
	// The list of content types decides when the names inside are unusual.
	case strings.Contains(types, "wordprocessingml"):
		return kindDOCX, nil
	case strings.Contains(types, "spreadsheetml"):
		return kindXLSX, nil
	}
	return kindZIP, nil
}

func kindOfCompound(f *content.File) (kind, error) {
	c, err := compound.Open(f.Data, f.Size)
	if err != nil {
		return "", err
	}
	// Only the streams of the root count: others may belong to embedded objects.
	has := func(name string) bool { return c.Find(compound.Root, name) >= 0 }
	switch {
	case has("EncryptedPackage"):
		return "", content.Errorf(content.Password, "password protected")
	case has("WordDocument"):
		return kindDOC, nil
	case has("Workbook"), has("Book"):
		return kindXLS, nil
	case has("__properties_version1.0"):
		return kindMSG, nil
	case has("PowerPoint Document"):
		return kindPPT, nil
	}
	return kindOLE, nil
}

func kindOfText(head []byte, extension string) (kind, error) {
	decoded := decode.Text(head, "")
	if isBinary(decoded) || hasNULs(head) {
		return "", content.Errorf(content.Unsupported, "unknown file type")
	}
	start := strings.ToLower(strings.TrimSpace(decoded[:min(len(decoded), 4096)]))
	switch {
	case mail.LooksLikeMail([]byte(decoded), extension == "eml" || extension == "mht" || extension == "mhtml"):
		return kindMail, nil
	case text.LooksLikeHTML(start, extension):
		return kindHTML, nil
	case strings.HasPrefix(start, "<?xml") && strings.Contains(start, "urn:schemas-microsoft-com:office:spreadsheet"):
		return kindExcel2003, nil
	case strings.HasPrefix(start, "<?xml"):
		return kindXML, nil
	case extension != "csv" && extension != "eml" && text.LooksLikeJSON(start):
		return kindJSON, nil
	case extension != "csv" && extension != "eml" && text.LooksLikeYAML(decoded[:min(len(decoded), 4096)]):
		return kindYAML, nil
	case extension == "csv" || extension == "tsv" || extension == "tab":
		return kindCSV, nil
	case extension != "md" && extension != "eml" && text.LooksLikeCSV(decoded):
		return kindCSV, nil
	}
	return kindText, nil
}

// hasNULs reports whether bytes that are not UTF-16 have more NULs than any text would have.
// A text can be padded with them.
func hasNULs(head []byte) bool {
	if decode.UTF16(head) != nil {
		return false
	}
	text := bytes.TrimRight(head, "\x00")
	return len(text) > 0 && 2*len(text) < len(head) || bytes.Count(text, []byte{0})*50 > len(text)
}

// isBinary reports whether decoded text has more control characters than any
// text would have.
func isBinary(text string) bool {
	odd, all := 0, 0
	for _, c := range text {
		all++
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\v' && c != 0x1b && c != 0x1a {
			odd++
		}
	}
	return odd*50 > all
}
