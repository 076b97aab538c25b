package control

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/api"
)

// row is a call that is to be written: as it will be written, so that what
// waits holds on to nothing of the call.
type row struct {
	tenantID uuid.UUID
	id       string // the answer's X-Request-Id
	tuple    tuple
	counts   int64 // what it counts for in the tenant's bound, and in the journal's
}

// overhead is what a row counts for beside headers and bodies.
const overhead = 512

const requestColumns = `
	tenant_id, id, at, begun_at, duration, client_id,
	method, path, route, status, tx_id, expired, token_until, faults, file, kind,
	request_headers, request_body, request_size, request_sha256,
	response_headers, response_body, response_size, size`

// newRow is the call's row, secrets masked.
func newRow(e Exchange) row {
	call := e.Call
	size := e.RequestSize
	if call.SHA256 != nil {
		size = call.Size
	}
	path, file, kind := maskPath(e.Request.URL), clean(call.File), clean(call.Kind)
	asked, answered := maskHeader(e.Request.Header), maskHeader(e.ResponseHeader)
	question := maskBody(e.Request.Header.Get("Content-Type"), e.RequestBody)
	answer := maskBody(e.ResponseHeader.Get("Content-Type"), e.ResponseBody)
	held := len(path) + len(file) + len(kind) + len(asked) + len(answered) + len(question) + len(answer)
	r := row{tenantID: call.TenantID, id: e.ID, counts: overhead + int64(held)}

	t := newTuple(24, held+overhead)
	id := e.requestID()
	t.bytes(call.TenantID[:])
	t.bytes(id[:])
	t.time(e.at())
	t.time(e.BegunAt)
	t.interval(e.Duration)
	t.text(call.ClientID)
	t.text(clean(e.Request.Method))
	t.text(path)
	t.text(e.route())
	t.integer(int32(e.Status))
	t.text(e.txID())
	t.boolean(call.Expired)
	if call.TokenUntil.IsZero() {
		t.null()
	} else {
		t.time(call.TokenUntil)
	}
	t.texts(call.Faults)
	t.text(file)
	t.text(kind)
	t.bytes(asked)
	t.bytes(question)
	t.bigint(size)
	if call.SHA256 == nil {
		t.null()
	} else {
		t.bytes(call.SHA256)
	}
	t.bytes(answered)
	t.bytes(answer)
	t.bigint(e.ResponseSize)
	t.bigint(r.counts)
	r.tuple = t
	return r
}

// at is the tenant's time when the call came.
func (e Exchange) at() time.Time { return e.BegunAt.Add(e.Call.ClockOffset) }

func (e Exchange) requestID() uuid.UUID {
	id, err := uuid.Parse(e.ID)
	if err != nil {
		return uuid.New() // somebody else's form of id
	}
	return id
}

// route is the method and the pattern that took the call.
func (e Exchange) route() string { return clean(e.Request.Method) + " " + e.Request.Pattern }

func (e Exchange) txID() string {
	if e.Call.TxID != "" {
		return e.Call.TxID
	}
	return clean(e.Request.PathValue("tx_id"))
}

// clean makes text such as a column can hold.
func clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// call is a call's row as it is read.
type call struct {
	XID             uint64
	Seq             uint64
	ID              uuid.UUID
	At              time.Time
	Duration        time.Duration
	ClientID        string
	Method          string
	Path            string
	Route           string
	Status          int
	TxID            string
	Expired         bool
	Faults          []string
	File            string
	Kind            string
	RequestHeaders  json.RawMessage
	RequestBody     []byte
	RequestSize     int64
	RequestSHA256   []byte `db:"request_sha256"`
	ResponseHeaders json.RawMessage
	ResponseBody    []byte
	ResponseSize    int64
}

const callColumns = `
	xid, seq, id, at, duration, client_id, method, path, route, status, tx_id, expired, faults, file, kind,
	request_headers, request_body, request_size, request_sha256,
	response_headers, response_body, response_size`

// callAnswer is a call as it is shown.
type callAnswer struct {
	ID           uuid.UUID     `json:"id"` // the answer's X-Request-Id
	At           api.Time      `json:"at"`
	DurationMs   float64       `json:"duration_ms"`
	ClientID     string        `json:"client_id,omitempty"`
	Method       string        `json:"method"`
	Path         string        `json:"path"`
	Route        string        `json:"route"`
	Status       *int          `json:"status"`             // null = no answer
	Fidelity     string        `json:"fidelity,omitempty"` // how sure the answer is; missing where a fault acted
	TxID         string        `json:"tx_id,omitempty"`
	ExpiredToken bool          `json:"expired_token"`
	Faults       []string      `json:"faults"`
	Request      messageAnswer `json:"request"`
	Response     messageAnswer `json:"response"`
}

type messageAnswer struct {
	Headers   http.Header `json:"headers"`
	Body      string      `json:"body"`
	Size      int64       `json:"size"`
	Truncated bool        `json:"truncated,omitempty"`
	File      *fileAnswer `json:"file,omitempty"`
}

// fileAnswer is an uploaded file.
type fileAnswer struct {
	Name        string `json:"name"`
	ContentType string `json:"content_type"`
	SHA256      string `json:"sha256"`
}
