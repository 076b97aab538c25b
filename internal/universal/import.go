package universal

import (
	"cmp"
	"context"
	"io"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
	"understudy.example/internal/universal/filepart"
	"understudy.example/internal/universal/quota"
)

// ImportedFile is the file of a submission from elsewhere.
type ImportedFile struct {
	Size    int64     // bytes
	Content io.Reader // nil if the file is missing; its errors are returned
}

// ImportSubmission stores the file of a new submission, unless file is nil, as an upload
// does. Then it calls insert with the key of the file, in a transaction that locks the
// tenant if it has quotas. It returns what insert returns, and deletes the file if there is
// no new submission. maxSize is the largest size of a file in bytes. The error is an
// *api.Error if a quota or a limit on uploads is the cause.
func ImportSubmission(
	ctx context.Context, db storage.DB, uploads *Uploads, tenant auth.Tenant, txID uuid.UUID, file *ImportedFile, maxSize int64,
	insert func(tx pgx.Tx, key *string) (inserted bool, err error),
) (inserted bool, err error) {
	var key *string
	size := int64(0)
	if file != nil {
		if size = file.Size; size > maxSize {
			return false, filepart.TooLong(maxSize)
		}
		begun, err := uploads.begin(ctx, tenant.ID, txID, size)
		if err != nil {
			return false, err
		}
		defer begun.end()
		if err := begun.findRoom(ctx, db, tenant, txID); err != nil {
			return false, err
		}
		key = new(newFileKey(tenant.Name, txID))
		if err := begun.store(ctx, *key, *file); err != nil {
			return false, err
		}
		begun.beginRecording()
		defer func() {
			if inserted {
				begun.recorded(0)
			}
		}()
	}
	committing := false // if so, an error does not tell whether the commit was made
	err = quota.InTurn(ctx, db, tenant, func() error {
		return storage.InTx(ctx, db, func(tx pgx.Tx) error {
			committing = false
			return quota.Within(ctx, tx, tenant, func(_ storage.DB, tenant auth.Tenant) (err error) {
				if err := quota.CheckSubmissions(ctx, tx, tenant); err != nil {
					return err
				}
				if free, err := quota.RoomFor(ctx, tx, tenant, txID); err != nil || free.Check(size, 0) != nil {
					return cmp.Or(err, free.Check(size, 0))
				}
				inserted, err = insert(tx, key)
				committing = err == nil && inserted
				return err
			})
		})
	})
	inserted = inserted && err == nil
	if key != nil && !inserted && !committing {
		deleteFile(ctx, uploads.objects, *key)
	}
	return inserted, err
}

// store stores the file of an import under the key, and counts its bytes.
func (b *upload) store(ctx context.Context, key string, file ImportedFile) error {
	if file.Content == nil {
		return b.grow(file.Size)
	}
	content := &growingReader{Reader: file.Content, upload: b}
	err := b.uploads.objects.Put(ctx, key, content)
	if content.err == nil && err != nil {
		return objectsUnavailable(err)
	}
	return content.err
}

// growingReader counts the bytes that are read as those of an upload.
type growingReader struct {
	io.Reader
	upload *upload
	err    error // of the reader or of a quota
}

// Read implements io.Reader.
func (g *growingReader) Read(b []byte) (int, error) {
	n, err := g.Reader.Read(b)
	if full := g.upload.grow(int64(n)); full != nil {
		err = full
	}
	if err != nil && err != io.EOF {
		g.err = err
	}
	return n, err
}
