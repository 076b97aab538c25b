package universal

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/call"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
	"understudy.example/internal/universal/filepart"
	"understudy.example/internal/universal/quota"
)

// Submit is `POST …/universal-submit/file`: the upload of a file under 10 MB and
// its trigger in one call. The submission is created only once the whole file is
// stored.
func Submit(db storage.DB, uploads *Uploads, gate *auth.Gate, rt route.Route, wake func(Work)) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
		if err != nil {
			return err
		}
		txID, started, work, err := SubmitFile(r, db, uploads, gate, caller, filepart.MaxDirectSize)
		if err != nil {
			return err
		}
		wake(work)
		return api.Write(w, http.StatusOK, newTriggerBody(txID, caller.TenantName, started))
	}
}

// SubmitFile stores the file of the request's multipart body, of at most maxSize bytes,
// creates a submission of the caller and triggers it. It returns its tx_id, the tenant's
// time of the trigger, and what is due, so that the caller wakes the background steps. The error
// is an *api.Error if the request, a quota or a limit on uploads is the cause.
func SubmitFile(r *http.Request, db storage.DB, uploads *Uploads, gate *auth.Gate, caller auth.Caller, maxSize int64) (txID uuid.UUID, started time.Time, work Work, err error) {
	return submitFile(r, db, uploads, gate, caller, maxSize, func(pgx.Tx) error { return nil })
}

// SubmitDocument is SubmitFile for a document that is not in a request. record is called
// in the transaction that creates the submission. If it returns an error, there is no
// submission, and SubmitDocument returns the error.
func SubmitDocument(
	ctx context.Context, db storage.DB, uploads *Uploads, gate *auth.Gate, caller auth.Caller, maxSize int64,
	name string, content []byte, record func(tx pgx.Tx) error,
) error {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		return fmt.Errorf("submit document: %w", err)
	}
	part.Write(content) // writes to a bytes.Buffer never fail
	form.Close()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "/", &body)
	if err != nil {
		return fmt.Errorf("submit document: %w", err)
	}
	r.Header.Set("Content-Type", form.FormDataContentType())
	_, _, _, err = submitFile(r, db, uploads, gate, caller, maxSize, record)
	return err
}

func submitFile(
	r *http.Request, db storage.DB, uploads *Uploads, gate *auth.Gate, caller auth.Caller, maxSize int64, record func(tx pgx.Tx) error,
) (txID uuid.UUID, started time.Time, work Work, err error) {
	ctx := context.WithoutCancel(r.Context()) // reading the body fails if the client disconnects
	if err := quota.InTurn(ctx, db, caller.Tenant(), func() error { return quota.CheckSubmissions(ctx, db, caller.Tenant()) }); err != nil {
		return uuid.Nil, time.Time{}, Work{}, err
	}
	begun, err := uploads.begin(ctx, caller.TenantID, uuid.Nil, filepart.Largest(r, maxSize))
	if err != nil {
		return uuid.Nil, time.Time{}, Work{}, err
	}
	defer begun.end()
	if err := begun.findRoom(ctx, db, caller.Tenant(), uuid.Nil); err != nil {
		return uuid.Nil, time.Time{}, Work{}, err
	}
	body, err := filepart.New(r, begun.body, maxSize, begun.grow)
	if err != nil {
		return uuid.Nil, time.Time{}, Work{}, err
	}
	filename := body.Part().FileName()
	switch {
	case filename == "":
		return uuid.Nil, time.Time{}, Work{}, filenameRequired(`the part "file" has no filename parameter: send the file's name in it`)
	case !api.Storable(filename):
		return uuid.Nil, time.Time{}, Work{}, filenameRequired("the filename is not valid UTF-8, or has a NUL character")
	}
	planned, err := newSubmission(ctx, db, caller, filename)
	if err != nil {
		return uuid.Nil, time.Time{}, Work{}, err
	}
	file, err := storeFile(ctx, uploads.objects, body, caller.TenantName, planned)
	if err != nil {
		return uuid.Nil, time.Time{}, Work{}, err
	}
	caller.Now = caller.Time() // after the upload
	committing := false        // if so, an error does not tell whether the commit was made
	var created submission
	var triggered *submission
	begun.beginRecording()
	err = quota.InTurn(ctx, db, caller.Tenant(), func() error {
		return storage.InTx(ctx, db, func(tx pgx.Tx) (err error) {
			committing = false
			if err := record(tx); err != nil {
				return err
			}
			err = quota.Within(ctx, tx, caller.Tenant(), func(db storage.DB, tenant auth.Tenant) (err error) {
				if created, err = createSubmission(ctx, db, tenant, planned, gate.Now()); err != nil {
					return err
				}
				_, err = replaceFile(ctx, db, tenant, created, file, caller.Now, gate.Now())
				return err
			})
			if err != nil {
				return err
			}
			created.SHA256 = file.sha256
			triggered, work, err = startProcessing(ctx, tx, gate.Now(), caller, created, nil)
			if err == nil && triggered == nil {
				err = transactionNotFound()
			}
			committing = err == nil
			return err
		})
	})
	if err != nil {
		if !committing {
			deleteFile(ctx, uploads.objects, file.key)
		}
		return uuid.Nil, time.Time{}, Work{}, fmt.Errorf("submit file: %w", err)
	}
	begun.recorded(0)
	call.From(ctx).TxID = created.TxID.String()
	return created.TxID, *triggered.StartedAt, work, nil
}
