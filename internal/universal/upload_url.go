package universal

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/call"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
)

// uploadLifetime is how long an upload address is good (service.md, "Limits").
const uploadLifetime = 5 * time.Minute

// UploadURL is `POST …/universal-submit/file-upload-url` (service.md, endpoint
// 2). publicURL is where clients reach the server; empty takes it from each
// request.
func UploadURL(db storage.DB, gate *auth.Gate, rt route.Route, uploadKey []byte, publicURL string) api.Handler {
	type answer struct {
		TxID      uuid.UUID `json:"tx_id"`
		UploadURL string    `json:"upload_url"`
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
		if err != nil {
			return err
		}
		body, err := api.Read(r, api.MessageErrors)
		if err != nil {
			return err
		}
		filename, _ := body.Text("filename")
		target, err := newSubmission(caller, filename)
		if err != nil {
			return err
		}
		if err := announce(r.Context(), db, target); err != nil {
			return err
		}
		record := call.From(r.Context())
		record.TxID, record.Filename = target.TxID.String(), filename
		return api.Write(w, http.StatusOK, answer{
			TxID:      target.TxID,
			UploadURL: base(publicURL, r) + "/file-transfer/upload-file?data=" + sealUpload(uploadKey, target.TxID),
		})
	}
}

// newSubmission is a submission that is to be made for the caller. Its error is
// an answer when the file has no name that can be taken.
func newSubmission(caller auth.Caller, filename string) (submission, error) {
	storable := utf8.ValidString(filename) && !strings.ContainsRune(filename, 0)
	if strings.TrimSpace(filename) == "" || len(filename) > 255 || !storable {
		return submission{}, filenameRequired()
	}
	txID, err := uuid.NewV7()
	if err != nil {
		return submission{}, err
	}
	return submission{
		TxID: txID, TenantID: caller.TenantID, UserID: caller.UserID, Filename: filename, Status: Pending,
		CreatedAt: caller.Now, UploadExpiresAt: caller.Now.Add(uploadLifetime),
	}, nil
}

// announce keeps a new submission, which has no file yet.
func announce(ctx context.Context, db storage.DB, s submission) error {
	if _, err := db.Exec(ctx, `
		insert into submissions (tx_id, tenant_id, user_id, filename, created_at, upload_expires_at)
		values (@tx_id, @tenant_id, @user_id, @filename, @created_at, @upload_expires_at)`,
		pgx.StrictNamedArgs{
			"tx_id": s.TxID, "tenant_id": s.TenantID, "user_id": s.UserID,
			"filename": s.Filename, "created_at": s.CreatedAt, "upload_expires_at": s.UploadExpiresAt,
		}); err != nil {
		return fmt.Errorf("make submission: %w", err)
	}
	return nil
}

// base is the address of this server as the client sees it.
func base(publicURL string, r *http.Request) string {
	if publicURL != "" {
		return strings.TrimSuffix(publicURL, "/")
	}
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// sealUpload makes the `data` of an upload address: the tx_id and 128 random
// bits, under an HMAC of the environment's upload key.
func sealUpload(key []byte, txID uuid.UUID) string {
	b := make([]byte, 32, 64)
	copy(b, txID[:])
	rand.Read(b[16:]) // never fails
	return base64.RawURLEncoding.EncodeToString(append(b, uploadMAC(key, b)...))
}

// openUpload returns the tx_id that data was made for; false when it is not
// one of ours.
func openUpload(key []byte, data string) (uuid.UUID, bool) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(data)
	if err != nil || len(b) != 64 || !hmac.Equal(b[32:], uploadMAC(key, b[:32])) {
		return uuid.UUID{}, false
	}
	return uuid.UUID(b[:16]), true
}

func uploadMAC(key, b []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(b)
	return mac.Sum(nil)
}
