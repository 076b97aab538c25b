package universal

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/call"
	"understudy.example/internal/storage"
)

// Upload is `PUT /file-transfer/upload-file?data=…` (service.md, endpoint 3).
// The bytes go to the object store as they come, and the submission points at
// them only once they are whole and durable. maxBytes limits the file.
func Upload(db storage.DB, objects storage.Objects, gate *auth.Gate, uploadKey []byte, maxBytes int64) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		given := r.URL.Query()["data"]
		if len(given) != 1 {
			return uploadForbidden()
		}
		txID, ok := openUpload(uploadKey, given[0])
		if !ok {
			return uploadForbidden()
		}
		ctx := context.WithoutCancel(r.Context()) // a client that leaves shows in its body
		target, err := storage.One[submission](ctx, db, `
			select `+submissionColumns+`
			from submissions s
			where s.tx_id = @tx_id`,
			pgx.StrictNamedArgs{"tx_id": txID})
		if errors.Is(err, pgx.ErrNoRows) {
			return uploadForbidden()
		}
		if err != nil {
			return fmt.Errorf("find upload: %w", err)
		}
		tenant, now, err := gate.Tenant(ctx, target.TenantID)
		if err != nil {
			return err
		}
		record := call.From(ctx)
		record.TenantID, record.ClockOffset, record.TxID = tenant.ID, tenant.ClockOffset, txID.String()
		if now.After(target.UploadExpiresAt) {
			return uploadExpired()
		}
		if err := gate.AdmitUpload(r, tenant); err != nil {
			return err
		}
		body, err := newFileReader(w, r, maxBytes)
		if err != nil {
			return err
		}
		file, err := receive(ctx, objects, body, tenant.Name, target)
		if err != nil {
			return err
		}
		old, err := attach(ctx, db, target, file, now)
		if err != nil {
			discard(ctx, objects, file.key)
			return err
		}
		discard(ctx, objects, old)
		return api.Write(w, http.StatusOK, struct {
			Data string `json:"data"`
		}{fmt.Sprintf("s3://%s/%s/%s/%s", bucket, tenant.Name, txID, target.Filename)})
	}
}

// bucket is the name that the upload's answer gives the store.
const bucket = "understudy"

// upload is a file that lies in the object store.
type upload struct {
	key    string
	size   int64
	sha256 []byte
}

// receive puts the request's file into the object store under a key of its
// own, so that two uploads at once never mix. The file of a submission that
// takes none any more is read for its faults and dropped.
func receive(ctx context.Context, objects storage.Objects, file *fileReader, tenant string, target submission) (upload, error) {
	digest := sha256.New()
	stream := io.TeeReader(file, digest)
	record := call.From(ctx)
	record.Filename, record.ContentType = file.part.FileName(), file.part.Header.Get("Content-Type")
	defer func() { record.FileSize, record.FileSHA256 = file.size, digest.Sum(nil) }()
	if target.Status != Pending {
		if _, err := io.Copy(io.Discard, stream); err != nil {
			return upload{}, err
		}
		return upload{}, uploadClosed()
	}
	key := fmt.Sprintf("%s/%s/%s", tenant, target.TxID, uuid.NewString())
	if err := objects.Put(ctx, key, stream); err != nil {
		return upload{}, cmp.Or(file.refusal, err)
	}
	return upload{key, file.size, digest.Sum(nil)}, nil
}

// attach points the submission at its file and returns the key of the file
// that it replaces. After the trigger it changes nothing.
func attach(ctx context.Context, db storage.DB, target submission, file upload, now time.Time) (old string, err error) {
	// The subquery sees the row as it was.
	err = db.QueryRow(ctx, `
		update submissions s
		set object_key = @key, size = @size, sha256 = @sha256, uploaded_at = @now
		from (
			select tx_id, object_key
			from submissions
			where tx_id = @tx_id
			for update
		) before
		where s.tx_id = before.tx_id
		and s.status = @pending
		returning coalesce(before.object_key, '')`,
		pgx.StrictNamedArgs{
			"tx_id": target.TxID, "key": file.key, "size": file.size, "sha256": file.sha256,
			"now": now, "pending": Pending,
		}).Scan(&old)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", uploadClosed()
	}
	if err != nil {
		return "", fmt.Errorf("attach upload: %w", err)
	}
	return old, nil
}

// discard removes a file that nothing points at. Should it fail, the file
// costs space and harms nothing.
func discard(ctx context.Context, objects storage.Objects, key string) {
	if key == "" {
		return
	}
	if err := objects.Delete(context.WithoutCancel(ctx), key); err != nil {
		slog.WarnContext(ctx, "file left in the object store", "key", key, "err", err)
	}
}
