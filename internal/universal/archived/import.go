package archived

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/data"
	"understudy.example/internal/extract"
	"understudy.example/internal/field"
	"understudy.example/internal/storage"
	"understudy.example/internal/universal"
)

// Errors of Importer.Import. An error of the archive itself is an *Invalid.
var (
	ErrOtherTenant = errors.New("the submission belongs to another tenant of this server")
	ErrReportTaken = errors.New("another transaction of this server has the ids of its report")
)

// Invalid means that a submission in an archive is invalid.
type Invalid struct{ reason string }

// Error implements error.
func (e *Invalid) Error() string { return e.reason }

func invalid(format string, args ...any) error {
	return &Invalid{fmt.Sprintf(format, args...)}
}

// maxFailure is the maximum length in bytes of the reason why a submission has failed. It
// equals the limit of a text from a worker process.
const maxFailure = 64 << 10

// Check returns an *Invalid if the submission, whose report is nil if it has none,
// cannot be imported.
func (a Submission) Check(report *data.Archived) error {
	known := func(s State) bool {
		return s.Status != universal.Pending && slices.Contains(universal.States, s.Status)
	}
	switch {
	case a.TxID == uuid.Nil:
		return invalid("it has no tx_id")
	case a.Status != universal.Pending && a.Status != universal.Completed && a.Status != universal.Failed:
		return invalid("its status is %s: want Pending, Completed or Failed", api.Quote(a.Status))
	case (a.Status == universal.Completed) != (report != nil):
		return invalid("only a completed submission has a report, and it must have one")
	case a.Status != universal.Pending && a.File == nil:
		return invalid("it has no file")
	case utf8.RuneCountInString(a.Company) > universal.MaxCompany:
		return invalid("company: it is longer than %d characters", universal.MaxCompany)
	case a.Failure != nil && len(*a.Failure) > maxFailure:
		return invalid("failure: it is longer than %d bytes", maxFailure)
	case a.File != nil && len(a.File.SHA256) != sha256.Size:
		return invalid("file.sha256: want %d bytes", sha256.Size)
	case slices.ContainsFunc(a.Timeline, func(s State) bool { return !known(s) }):
		return invalid("timeline: it has an unknown status")
	}
	if err := a.checkTimes(); err != nil {
		return invalid("%v", err)
	}
	var extraction struct {
		Facts, Options data.CheckedArray[field.Value]
		Locations      data.CheckedArray[data.CheckedArray[field.Value]]
		Parts          data.CheckedArray[extract.Part]
	}
	if a.Extraction != nil {
		fields := json.NewDecoder(bytes.NewReader(a.Extraction))
		fields.DisallowUnknownFields()
		if err := fields.Decode(&extraction); err != nil {
			return invalid("extraction: %v", err)
		}
		if extraction.Parts.Len > extract.MaxParts {
			return invalid("extraction: too many parts: %d", extraction.Parts.Len)
		}
	}
	if report != nil {
		if err := report.Check(); err != nil {
			return invalid("report: %v", err)
		}
	}
	return nil
}

// checkTimes returns an error if a time of the submission cannot be shown.
func (a Submission) checkTimes() error {
	check := func(name string, at *time.Time) error {
		if at == nil {
			return nil
		}
		return data.CheckTime(name, *at)
	}
	errs := []error{
		check("created_at", &a.CreatedAt), check("upload_expires_at", &a.UploadExpiresAt),
		check("started_at", a.StartedAt), check("finished_at", a.FinishedAt),
	}
	if a.File != nil {
		errs = append(errs, check("file.uploaded_at", &a.File.UploadedAt))
	}
	for _, state := range a.Timeline {
		errs = append(errs, check("timeline", &state.At), check("timeline", state.RealAt))
	}
	return cmp.Or(errs...)
}

// Importer imports submissions from archives.
type Importer struct {
	DB      storage.DB
	Uploads *universal.Uploads
	MaxSize int64 // of a file, in bytes
	Now     func() time.Time
}

// Has reports whether the tenant has the submission. The error is ErrOtherTenant if
// another tenant has it.
func (i Importer) Has(ctx context.Context, tenantID, txID uuid.UUID) (bool, error) {
	var owned bool
	err := i.DB.QueryRow(ctx, "select tenant_id = @tenant_id from submissions where tx_id = @tx_id",
		pgx.StrictNamedArgs{"tenant_id": tenantID, "tx_id": txID}).Scan(&owned)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("find submission of archive: %w", err)
	case !owned:
		return false, ErrOtherTenant
	}
	return true, nil
}

// Import stores the submission with its report and the content of its file, which is nil
// if it has none or if the file is missing. It publishes no events. The age of the
// submission counts from now on. If a submission with the id was created meanwhile,
// Import stores nothing and reports that it did not. The error is an *api.Error if a quota
// or a limit on uploads is the cause.
func (i Importer) Import(ctx context.Context, tenant auth.Tenant, a Submission, report *data.Archived, content io.Reader) (imported bool, err error) {
	var file *universal.ImportedFile
	if a.File != nil {
		file = &universal.ImportedFile{Size: a.File.Size, Content: content}
		if content != nil {
			file.Content = &verifiedContent{content, sha256.New(), a.File.SHA256}
		}
	}
	imported, err = universal.ImportSubmission(ctx, i.DB, i.Uploads, tenant, a.TxID, file, i.MaxSize, func(tx pgx.Tx, key *string) (bool, error) {
		created, err := insert(ctx, tx, tenant, a, report, key, i.Now())
		if err != nil || !created || report == nil {
			return created, err
		}
		free, err := data.ImportArchived(ctx, tx, tenant, a.TxID.String(), report, i.Now())
		if err == nil && !free {
			err = ErrReportTaken
		}
		return err == nil, err
	})
	if reason, isInvalid := storage.InvalidRow(err); isInvalid {
		err = invalid("%s", reason)
	}
	if err == nil && !imported {
		_, err = i.Has(ctx, tenant.ID, a.TxID)
	}
	return imported, err
}

// ImportCompany stores the report of a company submit under its own ids, and reports whether
// the tenant did not have it yet. It publishes no event. now is the real time.
func ImportCompany(ctx context.Context, db storage.DB, tenant auth.Tenant, txID string, report *data.Archived, now time.Time) (imported bool, err error) {
	if err := cmp.Or(data.CheckCompanyID(txID), report.Check()); err != nil {
		return false, invalid("%v", err)
	}
	err = storage.InTx(ctx, db, func(tx pgx.Tx) error {
		has, err := data.HasReport(ctx, tx, tenant.ID, txID)
		if err != nil || has {
			return err
		}
		if imported, err = data.ImportArchived(ctx, tx, tenant, txID, report, now); err != nil || imported {
			return err
		}
		if has, err = data.HasReport(ctx, tx, tenant.ID, txID); err == nil && !has { // nor has another call imported it
			err = ErrReportTaken
		}
		return err
	})
	if reason, isInvalid := storage.InvalidRow(err); isInvalid {
		err = invalid("%s", reason)
	}
	return imported, err
}

// verifiedContent is the content of a file. Reading it ends in an *Invalid if the content
// does not have the SHA-256.
type verifiedContent struct {
	io.Reader
	digest hash.Hash
	want   []byte
}

// Read implements io.Reader.
func (v *verifiedContent) Read(b []byte) (int, error) {
	n, err := v.Reader.Read(b)
	v.digest.Write(b[:n])
	if err == io.EOF && !bytes.Equal(v.digest.Sum(nil), v.want) {
		err = invalid("the file does not have the SHA-256 of the archive")
	}
	return n, err
}

// insert inserts the submission with its timeline, and reports whether it did.
func insert(ctx context.Context, tx pgx.Tx, tenant auth.Tenant, a Submission, report *data.Archived, key *string, now time.Time) (bool, error) {
	args := pgx.StrictNamedArgs{
		"tx_id": a.TxID, "tenant_id": tenant.ID, "user_id": a.UserID, "filename": a.Filename, "status": a.Status, "review": a.Review,
		"created_at": a.CreatedAt, "upload_expires_at": a.UploadExpiresAt, "started_at": a.StartedAt, "finished_at": a.FinishedAt,
		"failure": a.Failure, "company": a.Company, "search": universal.SearchText(a.Filename, a.Company),
		"object_key": key, "size": nil, "sha256": nil, "uploaded_at": nil, "extraction": nil, "c_report_id": nil, "l_report_id": nil, "now": now,
	}
	if a.File != nil {
		args["size"], args["sha256"], args["uploaded_at"] = a.File.Size, a.File.SHA256, a.File.UploadedAt
	}
	if a.Extraction != nil {
		args["extraction"] = string(a.Extraction)
	}
	if report != nil {
		args["c_report_id"], args["l_report_id"] = report.CReportID, report.LReportID
	}
	tag, err := tx.Exec(ctx, `
		insert into submissions (
			tx_id, tenant_id, user_id, filename, search, company, status, review, created_at, upload_expires_at,
			object_key, size, sha256, uploaded_at, started_at, finished_at, failure, extraction, parts, c_report_id, l_report_id, aged_from
		)
		values (
			@tx_id, @tenant_id, @user_id, @filename, @search, @company, @status, @review, @created_at, @upload_expires_at,
			@object_key, @size, @sha256, @uploaded_at, @started_at, @finished_at, @failure, @extraction, @extraction::jsonb -> 'parts', @c_report_id, @l_report_id, @now
		)
		on conflict (tx_id) do nothing`, args)
	if err != nil {
		return false, fmt.Errorf("import submission: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return false, nil
	}
	statuses, at, realAt := make([]string, len(a.Timeline)), make([]time.Time, len(a.Timeline)), make([]*time.Time, len(a.Timeline))
	for i, reached := range a.Timeline {
		statuses[i], at[i], realAt[i] = reached.Status, reached.At, reached.RealAt
	}
	if _, err := tx.Exec(ctx, `
		insert into submission_states (tx_id, status, at, real_at)
		select @tx_id, *
		from unnest(@statuses::text[], @at::timestamptz[], @real_at::timestamptz[])`,
		pgx.StrictNamedArgs{"tx_id": a.TxID, "statuses": statuses, "at": at, "real_at": realAt}); err != nil {
		return false, fmt.Errorf("import timeline: %w", err)
	}
	return true, nil
}
