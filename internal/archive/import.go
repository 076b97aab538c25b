package archive

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/data"
	"understudy.example/internal/universal/archived"
)

// maxProblems is the maximum number of problems in the response to an import.
const maxProblems = 10

// Import is `POST /tenants/{t}/archive`: it imports the submissions and company reports of
// the stream, each in a transaction of its own. It skips those that the tenant has, and ends
// at the first error.
func Import(importer archived.Importer, budget *api.Budget) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if kind, _, err := api.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != ContentType {
			return wrongContentType()
		}
		tenant, err := auth.TenantInPath(r, importer.DB)
		if err != nil {
			return err
		}
		s := &stream{Importer: importer, budget: budget, tenant: tenant, in: tar.NewReader(r.Body), result: Result{Problems: []string{}}}
		// Reading the body fails if the client disconnects.
		if err := s.read(context.WithoutCancel(r.Context())); err != nil {
			return s.explain(err)
		}
		return api.Write(w, http.StatusOK, s.result)
	}
}

// stream is a stream that is being imported.
type stream struct {
	archived.Importer
	budget *api.Budget
	tenant auth.Tenant
	in     *tar.Reader
	txID   string // of the submission that is being imported
	result Result
}

// read imports the stream until its end.
func (s *stream) read(ctx context.Context) error {
	file, err := s.next()
	if err != nil {
		return err
	}
	if file.Name != HeadName {
		return invalid("the first file is not " + HeadName)
	}
	text, err := s.readFile(file, maxHead)
	if err != nil {
		return err
	}
	if _, err := ReadHead(text); err != nil {
		return invalid(err.Error())
	}
	for {
		s.txID = ""
		if file, err = s.next(); err != nil {
			return err
		}
		if file.Name == endName {
			return s.readEnd(file)
		}
		if txID, ok := ofRecord(folder, file.Name); ok {
			err = s.importSubmission(ctx, txID, file)
		} else if txID, ok := ofRecord(companies, file.Name); ok {
			err = s.importCompany(ctx, txID, file)
		} else {
			err = invalid("it has an unexpected file " + api.Quote(file.Name))
		}
		if err != nil {
			return err
		}
	}
}

// readEnd checks that the stream has all submissions.
func (s *stream) readEnd(file *tar.Header) error {
	text, err := s.readFile(file, maxHead)
	if err != nil {
		return err
	}
	got := End{Submissions: s.result.Imported + s.result.Skipped, Companies: s.result.ImportedCompanies + s.result.SkippedCompanies}
	var end End
	if json.Unmarshal(text, &end) != nil || end != got {
		return invalid(fmt.Sprintf("%s does not fit the %d submissions and %d company submits before it", endName, got.Submissions, got.Companies))
	}
	return nil
}

// next returns the next file.
func (s *stream) next() (*tar.Header, error) {
	file, err := s.in.Next()
	switch {
	case errors.Is(err, io.EOF):
		return nil, invalid("it ends before " + endName)
	case err != nil:
		return nil, damaged(err)
	case file.Typeflag != tar.TypeReg:
		return nil, invalid("it has something other than a file: " + api.Quote(file.Name))
	}
	for name := range file.PAXRecords {
		if strings.HasPrefix(name, sparse) {
			return nil, invalid("it has a sparse file: " + api.Quote(file.Name))
		}
	}
	return file, nil
}

// sparse is the prefix of the names of the PAX records of sparse files. They are rejected, because their contents can be
// much larger than the archive, and no export writes them.
const sparse = "GNU.sparse."

// readFile reads a file of at most that many bytes.
func (s *stream) readFile(file *tar.Header, most int64) ([]byte, error) {
	if file.Size > most {
		return nil, tooLarge(file.Name, most)
	}
	text := bytes.NewBuffer(make([]byte, 0, min(file.Size+bytes.MinRead, 1<<20)))
	if _, err := text.ReadFrom(s.in); err != nil {
		return nil, damaged(err)
	}
	return text.Bytes(), nil
}

// importSubmission imports the submission with the record, whose name has the tx_id, and
// the file that follows.
func (s *stream) importSubmission(ctx context.Context, txID string, file *tar.Header) error {
	room, err := reserve(ctx, s.budget, s.tenant.ID, 3*min(file.Size, maxRecord))
	if err != nil {
		return err
	}
	defer room.Release()
	var record Record
	if err := s.readRecord(file, &record); err != nil {
		return err
	}
	if record.TxID.String() != txID {
		return invalid(file.Name + " has another tx_id")
	}
	s.txID = txID
	if err := record.Check(record.Report); err != nil {
		return err
	}
	content, err := s.content(record)
	if err != nil {
		return err
	}
	had, err := s.Has(ctx, s.tenant.ID, record.TxID)
	if err != nil {
		return err
	}
	imported := false
	if !had {
		if imported, err = s.Import(ctx, s.tenant, record.Submission, record.Report, content); err != nil {
			return err
		}
	}
	s.count(record, imported)
	return nil
}

// importCompany imports the report of a company submit from the record, whose name has the
// tx_id.
func (s *stream) importCompany(ctx context.Context, txID string, file *tar.Header) error {
	room, err := reserve(ctx, s.budget, s.tenant.ID, 3*min(file.Size, maxRecord))
	if err != nil {
		return err
	}
	defer room.Release()
	s.txID = txID
	var report data.Archived
	if err := s.readRecord(file, &report); err != nil {
		return err
	}
	imported, err := archived.ImportCompany(ctx, s.DB, s.tenant, txID, &report, s.Now())
	switch {
	case err != nil:
		return err
	case imported:
		s.result.ImportedCompanies++
	default:
		s.result.SkippedCompanies++
	}
	return nil
}

// readRecord reads a record into v.
func (s *stream) readRecord(file *tar.Header, v any) error {
	text, err := s.readFile(file, maxRecord)
	if err != nil {
		return err
	}
	if err := recordBounds.Check(text); err != nil {
		return invalid(fmt.Sprintf("%s: %v", file.Name, err))
	}
	fields := json.NewDecoder(bytes.NewReader(text))
	fields.DisallowUnknownFields()
	if err := fields.Decode(v); err != nil {
		return invalid(fmt.Sprintf("%s: %v", file.Name, err))
	}
	return nil
}

// content returns the content of the record's file, which follows it; nil if there is none.
func (s *stream) content(record Record) (io.Reader, error) {
	if record.File == nil || record.File.Missing {
		return nil, nil
	}
	file, err := s.next()
	if err != nil {
		return nil, err
	}
	if file.Name != folder+s.txID+fileName || file.Size != record.File.Size {
		return nil, invalid("the file of the submission does not follow its record, or has another size")
	}
	return tarFile{s.in}, nil
}

// tarFile is the content of a file. Its errors say that the stream is damaged.
type tarFile struct{ in *tar.Reader }

// Read implements io.Reader.
func (f tarFile) Read(b []byte) (int, error) {
	n, err := f.in.Read(b)
	if err != nil && err != io.EOF {
		err = damaged(err)
	}
	return n, err
}

// count counts the submission, which the tenant had already if it was not imported.
func (s *stream) count(record Record, imported bool) {
	if !imported {
		s.result.Skipped++
		return
	}
	s.result.Imported++
	if record.File == nil || !record.File.Missing {
		return
	}
	s.result.MissingFiles++
	if len(s.result.Problems) < maxProblems {
		s.result.Problems = append(s.result.Problems, fmt.Sprintf("submission %s: the export did not find its file", record.TxID))
	}
}

// explain returns the response to an error that ended the import.
func (s *stream) explain(err error) error {
	before := fmt.Sprintf("%d submissions were imported and %d skipped before it", s.result.Imported, s.result.Skipped)
	if companies := s.result.ImportedCompanies + s.result.SkippedCompanies; companies > 0 {
		before = fmt.Sprintf("%d submissions and %d company submits were imported and %d and %d skipped before it",
			s.result.Imported, s.result.ImportedCompanies, s.result.Skipped, s.result.SkippedCompanies)
	}
	refused := new(archived.Invalid)
	switch {
	case errors.Is(err, archived.ErrOtherTenant), errors.Is(err, archived.ErrReportTaken):
		return api.NewControlError(http.StatusConflict, fmt.Sprintf("Transaction %s: %v; %s", s.txID, err, before))
	case errors.As(err, &refused):
		return api.BadRequest("Transaction %s in the archive is invalid: %v; %s", s.txID, err, before)
	}
	return err
}
