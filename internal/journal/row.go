package journal

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/call"
)

// row is a call to be written, in the form in which it is written, so that the queue
// keeps no request or response alive.
type row struct {
	tenantID        uuid.UUID
	unauthenticated bool      // attributed to the tenant, but no credential of it was valid
	id              string    // X-Request-Id of the response
	operation       string    // method and pattern; "" for an unknown route
	status          int       // 0 = no response
	at              time.Time // tenant's time
	encoded         []byte    // the columns of rowColumns, see encoder
	size            int64     // bytes that count towards the limits
	queuedAt        time.Time // real time
}

// rowOverhead is the size that a row has besides its texts, headers and bodies, in
// bytes.
const rowOverhead = 512

var rowColumns = []string{
	"tenant_id", "id", "at", "begun_at", "duration", "client_id",
	"method", "path", "route", "status", "tx_id", "token_expired", "token_until", "faults", "filename", "content_type",
	"request_headers", "request_body", "request_size", "request_sha256", "parts",
	"response_headers", "response_body", "response_size", "reason", "outcome", "outcome_company", "unauthenticated", "size",
}

// newRow returns the row of the exchange, with its secrets masked.
func newRow(e exchange, secrets misplaced) row {
	requestSize := e.requestSize
	if e.FileSHA256 != nil {
		requestSize = e.FileSize
	}
	id, err := uuid.Parse(e.id)
	if err != nil {
		id = uuid.New() // another handler has set an id of another form
	}
	method, path := e.request.Method, maskPath(e.request.URL)
	txID, filename, contentType, outcomeCompany := e.txID(), api.Mask(e.Filename), e.ContentType, api.Mask(e.Outcome)
	requestHeader, responseHeader := maskHeader(e.request.Header), maskHeader(e.responseHeader)
	requestBody := maskBody(e.request.Header.Get("Content-Type"), e.requestBody)
	responseBody := e.maskResponseBody()
	var parts []byte
	if len(e.Parts) > 0 {
		encoded, _ := json.Marshal(e.Parts) // strings only
		parts = []byte(api.Mask(string(encoded)))
	}
	pattern := ""
	if e.request.Pattern != "" { // an unknown route has none
		pattern = method + " " + e.request.Pattern
	}
	at := e.begunAt
	if e.TenantTime != nil {
		at = e.TenantTime(e.begunAt)
	}
	r := row{tenantID: e.TenantID, id: e.id, operation: pattern, status: e.status, at: at}
	r.unauthenticated = e.TenantID != unattributed && !e.Authenticated
	r.size = rowOverhead + int64(len(e.ClientID)+len(method)+len(path)+len(pattern)+len(txID)+len(filename)+len(contentType)+
		len(requestHeader)+len(responseHeader)+len(requestBody)+len(responseBody)+len(parts)+len(e.Reason)+len(outcomeCompany))
	to := newEncoder(r.size, secrets)
	to.id(e.TenantID)
	to.id(id)
	to.time(at)
	to.time(e.begunAt)
	to.interval(e.duration)
	to.text(e.ClientID)
	to.text(method)
	to.text(path)
	to.text(pattern)
	to.int4(e.status)
	to.text(txID)
	to.bool(e.TokenExpired)
	if e.TokenUntil.IsZero() {
		to.null()
	} else {
		to.time(e.TokenUntil)
	}
	to.texts(e.Faults)
	to.text(filename)
	to.text(contentType)
	to.bytes(requestHeader)
	to.bytes(requestBody)
	to.int8(requestSize)
	to.hash(e.FileSHA256)
	to.json(parts)
	to.bytes(responseHeader)
	to.bytes(responseBody)
	to.int8(e.responseSize)
	to.text(e.Reason)
	to.bool(e.Outcome != "")
	to.text(outcomeCompany)
	to.bool(r.unauthenticated)
	to.int8(r.size)
	r.encoded = to.to
	return r
}

// maskResponseBody returns the body of the response with its secrets masked. It does not
// search the part that the handler knows to contain none.
func (e exchange) maskResponseBody() []byte {
	if whole := int64(len(e.responseBody)) == e.responseSize; !whole || len(e.Faults) > 0 || e.responseHeader.Get("Content-Type") != "application/json" {
		return maskBody(e.responseHeader.Get("Content-Type"), e.responseBody)
	}
	searched := max(len(e.responseBody)-e.CleanEnd, 0)
	masked := maskJSON(string(e.responseBody[:searched])) // valid JSON, so the other forms need no search
	return append([]byte(api.Mask(masked)), e.responseBody[searched:]...)
}

func (e exchange) txID() string {
	if e.TxID != "" {
		return e.TxID
	}
	return api.Mask(api.ToStorable(api.CanonicalID(e.request.PathValue("tx_id"))))
}

// recordedCall is a row of calls.
type recordedCall struct {
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
	TokenExpired    bool
	Faults          []string
	Filename        string
	ContentType     string
	RequestHeaders  json.RawMessage
	RequestBody     []byte
	RequestSize     int64
	RequestSHA256   []byte `db:"request_sha256"`
	ResponseHeaders json.RawMessage
	ResponseBody    []byte
	ResponseSize    int64
	Parts           []call.Part
	Reason          string
	Outcome         bool
	OutcomeCompany  string
}

const recordedCallColumns = `
	xid, seq, id, at, duration, client_id, method, path, route, status, tx_id, token_expired, faults, filename, content_type,
	request_headers, request_body, request_size, request_sha256,
	response_headers, response_body, response_size, parts, reason, outcome, outcome_company`

// callBody is a call as the control API shows it.
type callBody struct {
	ID           uuid.UUID   `json:"id"` // X-Request-Id of the response
	At           api.Time    `json:"at"`
	DurationMs   float64     `json:"duration_ms"`
	ClientID     string      `json:"client_id,omitempty"`
	Method       string      `json:"method"`
	Path         string      `json:"path"`
	Route        string      `json:"route"`
	Status       *int        `json:"status"`             // null = no response
	Fidelity     string      `json:"fidelity,omitempty"` // missing if a fault acted on the call
	Reason       string      `json:"reason,omitempty"`   // why the call was refused or failed
	TxID         string      `json:"tx_id,omitempty"`
	ExpiredToken bool        `json:"expired_token"`
	Faults       []string    `json:"faults"`
	Request      messageBody `json:"request"`
	Response     messageBody `json:"response"`
	Outcome      bool        `json:"outcome,omitempty"`       // an outcome determined the response
	Hint         string      `json:"hint,omitempty"`          // X-Understudy-Hint of the response
	OutcomeMatch *matchBody  `json:"outcome_match,omitempty"` // of that outcome; missing if it is unknown
}

type messageBody struct {
	Headers   http.Header `json:"headers"`
	Body      string      `json:"body"`
	Size      int64       `json:"size"`
	Truncated bool        `json:"truncated,omitempty"`
	Parts     []call.Part `json:"parts,omitempty"` // of a multipart request
	File      *fileBody   `json:"file,omitempty"`
}

// matchBody is the match of an outcome for companies.
type matchBody struct {
	CompanyName string `json:"company_name"`
}

// fileBody is an uploaded file.
type fileBody struct {
	Name        string `json:"name"`
	ContentType string `json:"content_type"`
	SHA256      string `json:"sha256"`
}
