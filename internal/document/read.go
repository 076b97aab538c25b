// Package document reads a document of any supported format into the neutral
// model of package content: parts, each a list of blocks in reading order. It
// recognises the format of each file by its content. It knows nothing of
// insurance.
package document

import (
	"context"
	"io"

	"understudy.example/internal/document/archive"
	"understudy.example/internal/document/content"
	"understudy.example/internal/document/mail"
	"understudy.example/internal/document/office"
	"understudy.example/internal/document/pdf"
	"understudy.example/internal/document/text"
)

// Read reads a document of the given file name and size in bytes into its parts.
// The file name matters only where the content fits several formats. The error is
// a *content.Unreadable when the document is to blame. An attachment that cannot
// be read is no error: the note of its part says why.
func Read(ctx context.Context, name string, data io.ReaderAt, size int64) ([]content.Part, error) {
	return content.ReadParts(ctx, name, data, size, false, recognise)
}

// ReadPositions is like Read, but the blocks of pages also have the positions of their
// text.
func ReadPositions(ctx context.Context, name string, data io.ReaderAt, size int64) ([]content.Part, error) {
	return content.ReadParts(ctx, name, data, size, true, recognise)
}

// readers maps each supported kind of file to the reader of its format. A new
// format is a line here and one in recognise.go.
var readers = map[kind]content.Reader{
	kindMail:      {Format: content.EML, Read: mail.ReadEML},
	kindMSG:       {Format: content.MSG, Read: mail.ReadMSG},
	kindText:      {Format: content.Text, Read: text.ReadPlain},
	kindCSV:       {Format: content.CSV, Read: text.ReadCSV},
	kindJSON:      {Format: content.Text, Read: text.ReadJSON},
	kindYAML:      {Format: content.Text, Read: text.ReadYAML},
	kindHTML:      {Format: content.HTML, Read: text.ReadHTML},
	kindRTF:       {Format: content.RTF, Read: text.ReadRTF},
	kindXLSX:      {Format: content.XLSX, Read: office.ReadXLSX},
	kindXLS:       {Format: content.XLS, Read: office.ReadXLS},
	kindExcel2003: {Format: content.XLS, Read: office.ReadExcel2003},
	kindDOCX:      {Format: content.DOCX, Read: office.ReadDOCX},
	kindDOC:       {Format: content.DOC, Read: office.ReadDOC},
	kindPDF:       {Format: content.PDF, Read: pdf.Read},
	kindZIP:       {Format: content.ZIP, Read: archive.Read},
}

// recognise returns the reader of a file.
func recognise(f *content.File) (content.Reader, error) {
	k, err := kindOf(f)
	if err != nil {
		return content.Reader{}, err
	}
	r, ok := readers[k]
	if !ok {
		return content.Reader{}, content.Errorf(content.Unsupported, "%s: not supported", k)
	}
	return r, nil
}
