// Package call carries the details that handlers learn about a call (its tenant,
// client, transaction and file) to the package that records calls. It imports no other
// package of the module.
package call

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"
)

// Record has the details of a call. Handlers set its fields.
type Record struct {
	ResponseHeader http.Header // of the response, before it is written
	Hints          bool        // error responses carry X-Understudy-Hint
	Reason         string      // why the call was refused or failed; "" if it was not

	ControlToken string // name of the token of a control call; "" if it needed none

	TenantID      uuid.UUID                     // zero while the tenant is unknown
	TenantName    string                        // "" while the tenant is unknown
	TenantTime    func(now time.Time) time.Time // returns the tenant's time at a real time; nil while the tenant is unknown
	ClientID      string                        // "" for an upload, since its URL names no client
	Authenticated bool                          // by a valid access token, client secret or upload URL of the tenant
	TokenExpired  bool                          // the access token had expired by the tenant's clock
	Faults        []string                      // ids of the faults that acted on the call
	Outcome       string                        // company name in the match of the outcome that determined the response; "" if none did
	TokenUntil    time.Time                     // tenant's time at which the issued access token expires; zero if none was issued

	// SharedEnd is the end of the response's body, if other responses end with the same bytes.
	// It contains no secret and is never changed, so the journal keeps it without a copy.
	SharedEnd []byte

	Mask func(text string) string // masks the client's secrets that the call contains where they do not belong; nil if there are none

	TxID        string // of the submission that the call is about; "" if there is none
	Parts       []Part // of a multipart body, as far as it was read
	Filename    string // announced in the call, or of the uploaded form part
	ContentType string // of the uploaded form part
	FileSize    int64  // bytes of the uploaded file
	FileSHA256  []byte // of the uploaded file; nil if there was none
}

// Part is a part of a multipart body, without its content.
type Part struct {
	Name        string `json:"name"`
	Filename    string `json:"filename,omitempty"`
	ContentType string `json:"content_type,omitempty"`
}

type contextKey struct{}

// With returns a context that carries the record.
func With(ctx context.Context, record *Record) context.Context {
	return context.WithValue(ctx, contextKey{}, record)
}

// TenantID returns the id of the tenant in the record that the context carries; zero if it
// carries none, or if the tenant is unknown.
func TenantID(ctx context.Context) uuid.UUID {
	if record, ok := ctx.Value(contextKey{}).(*Record); ok {
		return record.TenantID
	}
	return uuid.Nil
}

// From returns the record that the context carries. If it carries none, From returns a
// new one that is not recorded.
func From(ctx context.Context) *Record {
	if record, ok := ctx.Value(contextKey{}).(*Record); ok {
		return record
	}
	return &Record{ResponseHeader: http.Header{}}
}
