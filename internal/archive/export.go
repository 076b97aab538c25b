package archive

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/data"
	"understudy.example/internal/storage"
	"understudy.example/internal/universal"
	"understudy.example/internal/universal/archived"
)

// expansion is how many times more memory a record uses than its values in their stored
// form, which is compressed.
const expansion = 32

// Export is `GET /tenants/{t}/archive`: a stream with the tenant's submissions, the oldest
// first, and the reports of its company submits. It leaves out submissions in progress.
func Export(db storage.DB, objects *storage.Store, budget *api.Budget, now func() time.Time) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		head := Head{Format: format, Version: version, Tenant: tenant.Name}
		if head.Submissions, head.LeftOut, err = archived.Count(r.Context(), db, tenant.ID); err != nil {
			return err
		}
		e := &exporter{db: db, objects: objects, budget: budget, tenant: tenant, now: now().UTC()}
		return api.WriteStream(w, r, ContentType, func(out io.Writer) error {
			e.out = tar.NewWriter(out)
			return e.export(r.Context(), head)
		})
	}
}

// exporter writes a stream.
type exporter struct {
	db      storage.DB
	objects *storage.Store
	budget  *api.Budget
	tenant  auth.Tenant
	now     time.Time
	out     *tar.Writer
}

func (e *exporter) export(ctx context.Context, head Head) error {
	if err := e.writeJSON(HeadName, head); err != nil {
		return err
	}
	end := End{}
	var err error
	if end.Submissions, err = e.writeSubmissions(ctx); err != nil {
		return err
	}
	if end.Companies, err = e.writeCompanies(ctx); err != nil {
		return err
	}
	if err := e.writeJSON(endName, end); err != nil {
		return err
	}
	return e.out.Close()
}

// writeSubmissions writes the tenant's submissions and returns their number.
func (e *exporter) writeSubmissions(ctx context.Context) (count int, err error) {
	for after := (universal.TransactionCursor{}); ; {
		next, err := archived.Next(ctx, e.db, e.tenant.ID, after)
		if errors.Is(err, pgx.ErrNoRows) {
			return count, nil
		}
		if err != nil {
			return count, err
		}
		written, err := e.writeSubmission(ctx, next)
		if err != nil {
			return count, err
		}
		if written {
			count++
		}
		after = next.TransactionCursor
	}
}

// writeCompanies writes the reports of the tenant's company submits and returns their
// number.
func (e *exporter) writeCompanies(ctx context.Context) (count int, err error) {
	for after := ""; ; {
		next, err := data.NextArchivedCompany(ctx, e.db, e.tenant.ID, after)
		if errors.Is(err, pgx.ErrNoRows) {
			return count, nil
		}
		if err != nil {
			return count, err
		}
		written, err := e.writeCompany(ctx, next)
		if err != nil {
			return count, err
		}
		if written {
			count++
		}
		after = next.TxID
	}
}

// writeCompany writes the report of a company submit. written is false if the report no
// longer exists.
func (e *exporter) writeCompany(ctx context.Context, company data.ArchivedCompany) (written bool, err error) {
	room, err := reserve(ctx, e.budget, e.tenant.ID, expansion*company.Bytes)
	if err != nil {
		return false, err
	}
	defer room.Release()
	report, err := data.ReadArchived(ctx, e.db, e.tenant.ID, company.TxID)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, e.writeJSON(companies+company.TxID+recordName, report)
}

// writeSubmission writes the files of the submission, and reports whether it is still
// there.
func (e *exporter) writeSubmission(ctx context.Context, s archived.Found) (written bool, err error) {
	txID := s.TxID.String()
	reportBytes, err := data.ArchivedBytes(ctx, e.db, e.tenant.ID, txID)
	if err != nil {
		return false, err
	}
	room, err := reserve(ctx, e.budget, e.tenant.ID, expansion*(s.ExtractionBytes+reportBytes))
	if err != nil {
		return false, err
	}
	defer room.Release()
	record, object, err := e.read(ctx, s)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if object != nil {
		defer object.Close()
	}
	if err := e.writeRecord(folder+txID+recordName, record); err != nil || object == nil {
		return err == nil, err
	}
	room.Release()
	if err := e.writeHeader(folder+txID+fileName, object.Size()); err != nil {
		return false, err
	}
	_, err = io.Copy(e.out, io.NewSectionReader(object, 0, object.Size()))
	return err == nil, err
}

// read returns the submission and its file, which is nil if it has none or if the file is
// missing. The error is pgx.ErrNoRows if the submission was deleted or triggered meanwhile.
func (e *exporter) read(ctx context.Context, s archived.Found) (record Record, object storage.Object, err error) {
	for earlier := ""; ; {
		var key string
		if record.Submission, key, err = archived.Read(ctx, e.db, e.tenant.ID, s.TxID); err != nil {
			return Record{}, nil, err
		}
		if key != "" && key != earlier {
			object, err = e.objects.Open(ctx, key)
			if errors.Is(err, fs.ErrNotExist) {
				earlier = key // the file may have been replaced or deleted: read the row again
				continue
			}
			if err != nil {
				return Record{}, nil, err
			}
		}
		break
	}
	if object != nil && object.Size() != record.File.Size { // damaged
		object.Close()
		object = nil
	}
	if record.File != nil {
		record.File.Missing = object == nil
	}
	if record.Status == universal.Completed {
		if record.Report, err = data.ReadArchived(ctx, e.db, e.tenant.ID, s.TxID.String()); err != nil && object != nil {
			object.Close()
		}
	}
	return record, object, err
}

// writeRecord writes the record. It does not copy the large values: a copy and its buffers
// use several times their size.
func (e *exporter) writeRecord(name string, record Record) error {
	extraction, report := record.Extraction, record.Report
	record.Extraction, record.Report = nil, nil
	pieces, err := openObject(record, field{"extraction", extraction})
	if err != nil {
		return err
	}
	if report != nil {
		small := *report
		small.Company, small.Locations = nil, nil
		inner, err := openObject(small, field{"company", report.Company}, field{"locations", report.Locations})
		if err != nil {
			return err
		}
		pieces = slices.Concat(pieces, [][]byte{[]byte(`,"report":`)}, inner, [][]byte{[]byte("}")})
	}
	pieces = append(pieces, []byte("}"))
	size := 0
	for _, piece := range pieces {
		size += len(piece)
	}
	if err := e.writeHeader(name, int64(size)); err != nil {
		return err
	}
	for _, piece := range pieces {
		if _, err := e.out.Write(piece); err != nil {
			return err
		}
	}
	return nil
}

// field is a field of a JSON object.
type field struct {
	name  string
	value json.RawMessage // nil: left out
}

// openObject returns the JSON object of v with further fields, without its closing brace.
// v has at least one field.
func openObject(v any, fields ...field) (pieces [][]byte, err error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	pieces = [][]byte{text[:len(text)-1]}
	for _, f := range fields {
		if f.value != nil {
			pieces = append(pieces, fmt.Appendf(nil, ",%q:", f.name), f.value)
		}
	}
	return pieces, nil
}

func (e *exporter) writeJSON(name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := e.writeHeader(name, int64(len(text))); err != nil {
		return err
	}
	_, err = e.out.Write(text)
	return err
}

func (e *exporter) writeHeader(name string, size int64) error {
	return e.out.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: size, ModTime: e.now})
}
