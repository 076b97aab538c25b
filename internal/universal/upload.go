package universal

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/call"
	"understudy.example/internal/storage"
	"understudy.example/internal/universal/filepart"
	"understudy.example/internal/universal/quota"
	"understudy.example/internal/universal/uploadurl"
)

// Upload is `PUT /file-transfer/upload-file?data=…` (service.md, endpoint 3). It
// stores the file while it arrives; the submission refers to the file only once
// it is complete and durable. maxSize is the largest size of a file in bytes.
func Upload(db storage.DB, uploads *Uploads, gate *auth.Gate, uploadKey []byte, maxSize int64) api.Handler {
	find := targetFinder(db, gate)
	return func(w http.ResponseWriter, r *http.Request) error {
		data := r.URL.Query()["data"]
		if len(data) != 1 {
			return uploadForbidden("the query parameter data is missing or given twice: use the upload_url exactly as it was returned")
		}
		target, ok := uploadurl.Verify(uploadKey, data[0])
		if !ok {
			return uploadForbidden("the query parameter data was altered: use the upload_url exactly as it was returned")
		}
		ctx := context.WithoutCancel(r.Context()) // reading the body fails if the client disconnects
		submission, tenant, now, err := find(ctx, target)
		if errors.Is(err, pgx.ErrNoRows) {
			return uploadGone()
		}
		if err != nil {
			return err
		}
		if now.After(submission.UploadExpiresAt) {
			return uploadExpired()
		}
		if err := gate.AdmitUpload(r, tenant); err != nil {
			return err
		}
		begun, err := uploads.begin(ctx, tenant.ID, target.TxID, filepart.Largest(r, maxSize))
		if err != nil {
			return err
		}
		defer begun.end()
		if err := begun.findRoom(ctx, db, tenant, target.TxID); err != nil {
			return err
		}
		body, err := filepart.New(r, begun.body, maxSize, begun.grow)
		if err != nil {
			return err
		}
		file, err := storeFile(ctx, uploads.objects, body, tenant.Name, submission)
		if err != nil {
			return err
		}
		var old storedFile
		begun.beginRecording()
		err = quota.InTurn(ctx, db, tenant, func() error {
			return quota.Within(ctx, db, tenant, func(db storage.DB, tenant auth.Tenant) (err error) {
				old, err = replaceFile(ctx, db, tenant, submission, file, now, gate.Now())
				return err
			})
		})
		if errors.Is(err, auth.ErrTenantGone) {
			err = uploadGone()
		}
		if err != nil {
			// Only a refusal proves that the row does not refer to the file: the reply
			// to a commit can be lost.
			if refusal := new(api.Error); errors.As(err, &refusal) {
				deleteFile(ctx, uploads.objects, file.key)
			}
			return err
		}
		begun.recorded(old.size)
		deleteFile(ctx, uploads.objects, old.key)
		return api.Write(w, http.StatusOK, struct {
			Data string `json:"data"`
		}{fmt.Sprintf("s3://%s/%s/%s/%s", bucket, tenant.Name, target.TxID, locationName(submission.Filename))})
	}
}

// locationName returns the file name as the last part of the file's location, with
// control characters and path separators replaced.
func locationName(filename string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '/' || r == '\\' {
			return '_'
		}
		return r
	}, filename)
}

// AttributeUpload returns a function that attributes a rejected call to an upload URL to
// its tenant, for the journal.
func AttributeUpload(db storage.DB, gate *auth.Gate, uploadKey []byte) func(context.Context, *http.Request, []byte) error {
	find := targetFinder(db, gate)
	return func(ctx context.Context, r *http.Request, _ []byte) error {
		target, ok := uploadurl.Verify(uploadKey, r.URL.Query().Get("data"))
		if !ok {
			return nil
		}
		_, _, _, err := find(ctx, target)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	}
}

// targetFinder returns a function that returns the submission of an upload URL, its tenant and
// the tenant's time, and records them for the journal. Its error is pgx.ErrNoRows if the
// submission no longer exists. Concurrent calls share queries, because their tenants are not
// known yet: with a query for each call, the calls of one tenant would delay those of all others.
func targetFinder(db storage.DB, gate *auth.Gate) func(context.Context, uploadurl.Target) (submission, auth.Tenant, time.Time, error) {
	type row struct {
		submission
		Name string // of the tenant
		auth.Clock
		Settings auth.Settings
	}
	rows := storage.NewLookup(func(ctx context.Context, txIDs []uuid.UUID) (map[uuid.UUID]row, error) {
		all, err := storage.All[row](ctx, db, `
			select `+submissionColumns+`, tenant.name, tenant.clock_offset, tenant.frozen_at, tenant.settings
			from submissions s
			cross join lateral find_tenant(s.tenant_id) tenant
			where s.tx_id = any(@tx_ids)`, pgx.StrictNamedArgs{"tx_ids": txIDs})
		found := map[uuid.UUID]row{}
		for _, s := range all {
			found[s.TxID] = s
		}
		return found, err
	})
	return func(ctx context.Context, target uploadurl.Target) (submission, auth.Tenant, time.Time, error) {
		found, _, err := rows.Find(ctx, target.TxID)
		if err == nil && !found.isTarget(target) { // it does not exist, or a later one has the same id
			err = pgx.ErrNoRows
		}
		tenant := auth.Tenant{ID: found.TenantID, Name: found.Name, Clock: found.Clock, Settings: found.Settings}
		if err != nil {
			return submission{}, tenant, time.Time{}, fmt.Errorf("find submission of upload: %w", err)
		}
		record := call.From(ctx)
		record.TenantID, record.TenantName, record.TenantTime, record.TxID = tenant.ID, tenant.Name, tenant.Time, target.TxID.String()
		record.Authenticated = true // the URL is signed
		return found.submission, tenant, tenant.Time(gate.Now()), nil
	}
}

// bucket is the name of the object store in the upload's response.
const bucket = "understudy"

// storedFile is a file in the object store.
type storedFile struct {
	key    string
	size   int64
	sha256 []byte
}

// newFileKey returns a new key for a file of the submission. A directory for each
// submission would take two more file system operations and a sync.
func newFileKey(tenant string, txID uuid.UUID) string {
	return fmt.Sprintf("%s/%s-%s", tenant, txID, uuid.NewString())
}

// storeFile writes the request's file to the object store under a key of its own,
// so that simultaneous uploads never mix. If the submission no longer takes a file,
// it only reads the file, since a fault of the body is reported first.
func storeFile(ctx context.Context, objects storage.Objects, file *filepart.Reader, tenant string, s submission) (storedFile, error) {
	digest := sha256.New()
	stream := io.TeeReader(file, digest)
	record := call.From(ctx)
	part := api.DescribePart(file.Part())
	record.Filename, record.ContentType = part.Filename, part.ContentType
	defer func() { record.FileSize, record.FileSHA256 = file.Size(), digest.Sum(nil) }()
	if s.Status != Pending {
		if _, err := io.Copy(io.Discard, stream); err != nil {
			return storedFile{}, err
		}
		return storedFile{}, uploadClosed()
	}
	key := newFileKey(tenant, s.TxID)
	if err := objects.Put(ctx, key, stream); err != nil {
		if file.Refusal() != nil {
			return storedFile{}, file.Refusal()
		}
		slog.ErrorContext(ctx, "storing an uploaded file failed", "object_key", key, "err", err)
		return storedFile{}, objectsUnavailable(err)
	}
	return storedFile{key, file.Size(), digest.Sum(nil)}, nil
}

// replaceFile makes the submission's row refer to the file. It returns the key and the
// size of the file that it replaces, "" and 0 if there is none. It changes nothing and
// returns an *api.Error if the submission was triggered or deleted during the upload, or
// if the file exceeds a quota. at is the tenant's time, now the real time.
func replaceFile(ctx context.Context, db storage.DB, tenant auth.Tenant, s submission, file storedFile, at, now time.Time) (old storedFile, err error) {
	free, err := quota.RoomFor(ctx, db, tenant, s.TxID)
	if err != nil {
		return storedFile{}, err
	}
	if err := free.Check(file.size, 0); err != nil {
		return storedFile{}, err
	}
	// The subquery returns the row as it was before the update.
	err = db.QueryRow(ctx, `
		update submissions s
		set object_key = @key, size = @size, sha256 = @sha256, uploaded_at = @at, aged_from = @now
		from (
			select tx_id, object_key, size
			from submissions
			where tx_id = @tx_id
			and created_at = @created_at
			and upload_nonce is not distinct from @nonce -- a later submission can have the same id and time
			for update
		) before
		where s.tx_id = before.tx_id
		and (s.status = @pending) is true -- see ofTenant
		returning coalesce(before.object_key, ''), coalesce(before.size, 0)`,
		pgx.StrictNamedArgs{
			"tx_id": s.TxID, "created_at": s.CreatedAt, "nonce": s.UploadNonce, "key": file.key, "size": file.size, "sha256": file.sha256,
			"at": at, "now": now, "pending": Pending,
		}).Scan(&old.key, &old.size)
	if errors.Is(err, pgx.ErrNoRows) {
		found, err := NewFinder(db).find(ctx, s.TenantID, s.TxID.String())
		if notFound := new(api.Error); errors.As(err, &notFound) || err == nil && (!found.CreatedAt.Equal(s.CreatedAt) || !bytes.Equal(found.UploadNonce, s.UploadNonce)) {
			return storedFile{}, uploadGone()
		}
		if err != nil {
			return storedFile{}, err
		}
		return storedFile{}, uploadClosed()
	}
	if err != nil {
		return storedFile{}, fmt.Errorf("replace uploaded file: %w", err)
	}
	return old, nil
}

// deleteFile deletes a file that no submission refers to. An error is only logged:
// the file takes up space, but does no other harm.
func deleteFile(ctx context.Context, objects storage.Objects, key string) {
	if key == "" {
		return
	}
	if err := objects.Delete(context.WithoutCancel(ctx), key); err != nil {
		slog.WarnContext(ctx, "deleting an unused file from the object store failed", "object_key", key, "err", err)
	}
}
