package document

import (
	"bytes"
	"io"
	"path"
	"strings"
)

// kind is what the bytes of a file are. The value is the name that a person is
// told when the kind has no reader.
type kind string

const (
	kindMail  kind = "mail"
	kindText  kind = "text"
	kindCSV   kind = "CSV table"
	kindHTML  kind = "HTML page"
	kindXLSX  kind = "Excel workbook"
	kindDOCX  kind = "Word document"
	kindPDF   kind = "PDF document"
	kindXLSB  kind = "Excel binary workbook (.xlsb)"
	kindXLS   kind = "Excel 97-2003 workbook"
	kindDOC   kind = "Word 97-2003 document"
	kindMSG   kind = "Outlook message"
	kindPPT   kind = "PowerPoint 97-2003 presentation"
	kindPPTX  kind = "PowerPoint presentation"
	kindODF   kind = "OpenDocument file"
	kindZip   kind = "zip archive"
	kindOLE   kind = "OLE container"
	kindRTF   kind = "RTF document"
	kindTNEF  kind = "Outlook winmail.dat"
	kindXML   kind = "XML document"
	kindImage kind = "image"

	kindXMLSheets kind = "Excel 2003 XML workbook"
)

const sniffed = 64 << 10

var magics = []struct {
	at    int
	bytes string
	kind  kind
}{
	{0, "{\\rtf", kindRTF},
	{0, "\x09\x08", kindXLS}, // Excel 5 without its container
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
	{0, "7z\xbc\xaf\x27\x1c", "7-Zip archive"},
}

// sniff tells the kind of a file by its content, and where content leaves a
// choice between kinds of text, by the file name's extension.
func sniff(src source) (kind, error) {
	head := make([]byte, min(src.size, sniffed))
	n, err := src.data.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return "", err
	}
	head = head[:n]
	if n == 0 {
		return "", unreadable(Empty, "the file is empty")
	}
	if i := bytes.Index(head[:min(n, 1024)], []byte("%PDF-")); i >= 0 && !looksLikeMail(head, false) {
		return kindPDF, nil
	}
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return sniffZip(src)
	case bytes.HasPrefix(head, []byte(oleMagic)):
		return sniffOLE(src)
	}
	for _, m := range magics {
		if len(head) >= m.at && bytes.HasPrefix(head[m.at:], []byte(m.bytes)) {
			return m.kind, nil
		}
	}
	return sniffText(head, extension(src.name))
}

func extension(name string) string {
	return strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
}

func sniffZip(src source) (kind, error) {
	z, err := openArchive(src)
	if err != nil {
		return "", err
	}
	// An archive of documents may have folders of any name.
	types := string(z.text("[Content_Types].xml", 1<<20))
	office := types != "" || containerName(src.name) != string(kindZip)
	switch {
	case z.has("xl/workbook.bin"):
		return kindXLSB, nil
	case z.has("word/document.xml"), z.hasFolder("word/") && office:
		return kindDOCX, nil
	case z.has("xl/workbook.xml"), z.hasFolder("xl/") && office:
		return kindXLSX, nil
	case z.hasFolder("ppt/") && office:
		return kindPPTX, nil
	case strings.HasPrefix(string(z.text("mimetype", 100)), "application/vnd.oasis.opendocument"):
		return kindODF, nil
	// Unusual names inside: the list of content types decides.
	case strings.Contains(types, "wordprocessingml"):
		return kindDOCX, nil
	case strings.Contains(types, "spreadsheetml"):
		return kindXLSX, nil
	}
	return kindZip, nil
}

func sniffOLE(src source) (kind, error) {
	c, err := openCompound(src.data, src.size)
	if err != nil {
		return "", err
	}
	// Streams of embedded objects say nothing of the file itself: only the top
	// of the tree counts.
	has := func(name string) bool { return c.find(0, name) >= 0 }
	switch {
	case has("EncryptedPackage"):
		return "", unreadable(Password, "password protected")
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

func sniffText(head []byte, ext string) (kind, error) {
	text := decode(head, "")
	if isBinary(text) {
		return "", unreadable(Unsupported, "unknown file type")
	}
	start := strings.ToLower(strings.TrimSpace(text[:min(len(text), 4096)]))
	switch {
	case looksLikeMail([]byte(text), ext == "eml" || ext == "mht" || ext == "mhtml"):
		return kindMail, nil
	case looksLikeHTML(start, ext):
		return kindHTML, nil
	case strings.HasPrefix(start, "<?xml") && strings.Contains(start, "urn:schemas-microsoft-com:office:spreadsheet"):
		return kindXMLSheets, nil
	case strings.HasPrefix(start, "<?xml"):
		return kindXML, nil
	case ext == "csv" || ext == "tsv" || ext == "tab":
		return kindCSV, nil
	case ext != "md" && ext != "eml" && looksLikeCSV(text):
		return kindCSV, nil
	}
	return kindText, nil
}

func looksLikeHTML(start, ext string) bool {
	if strings.HasPrefix(start, "<!doctype html") || strings.HasPrefix(start, "<html") {
		return true
	}
	marked := strings.Contains(start, "<html") || strings.Contains(start, "<table") || strings.Contains(start, "<body") || strings.Contains(start, "<head")
	return strings.HasPrefix(start, "<") && marked || (ext == "htm" || ext == "html") && strings.Contains(start, "<")
}

// isBinary reports whether decoded text has more control characters than any
// text would.
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
