package journal

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/call"
)

// row is a call to be written, with its secrets masked. It keeps no request or response
// alive.
type row struct {
	tenantID        uuid.UUID
	unauthenticated bool   // attributed to the tenant, but no credential of it was valid
	id              string // X-Request-Id of the response
	uuid            uuid.UUID
	at              time.Time // tenant's time
	begunAt         time.Time // real time
	duration        time.Duration
	clientID        string
	method          string
	path            string
	operation       string // method and pattern; "" for an unknown route
	status          int    // 0 = no response
	reason          string
	txID            string
	tokenExpired    bool
	tokenUntil      time.Time // zero if no token was issued
	faults          string    // ids, separated by commas
	outcome         bool
	outcomeCompany  string
	filename        string
	contentType     string // of the file
	parts           string // JSON; "" = none
	requestType     string // Content-Type of the request
	requestHeaders  []byte
	requestBody     []byte
	requestSize     int64
	requestSHA256   []byte
	responseHeaders []byte
	responseBody    []byte
	responseEnd     []byte // the rest of the body, which other calls can share
	responseSize    int64
	hint            string    // of the response
	size            int64     // bytes that count towards the limits, as if nothing were shared
	queuedAt        time.Time // real time
}

// rowOverhead is the size that a row has besides its texts, headers and bodies, in
// bytes.
const rowOverhead = 512

// newRow returns the row of the exchange, with its secrets masked.
func newRow(e exchange, secrets misplaced) *row {
	requestSize := e.requestSize
	if e.FileSHA256 != nil {
		requestSize = e.FileSize
	}
	id, err := uuid.Parse(e.id)
	if err != nil {
		id = uuid.New() // another handler has set an id of another form
	}
	at := e.begunAt
	if e.TenantTime != nil {
		at = e.TenantTime(e.begunAt)
	}
	r := &row{
		tenantID: e.TenantID, unauthenticated: e.TenantID != unattributed && !e.Authenticated,
		id: e.id, uuid: id, at: at, begunAt: e.begunAt, duration: e.duration,
		clientID: secrets.mask(e.ClientID), method: strings.Clone(secrets.mask(e.request.Method)), path: strings.Clone(secrets.mask(e.maskPath())),
		txID: strings.Clone(secrets.mask(e.txID())), reason: secrets.mask(e.Reason),
		status: e.status, tokenExpired: e.TokenExpired, tokenUntil: e.TokenUntil, faults: strings.Join(e.Faults, ","),
		outcome: e.Outcome != "", outcomeCompany: secrets.mask(api.Mask(e.Outcome)),
		filename: secrets.mask(api.Mask(e.Filename)), contentType: secrets.mask(e.ContentType), parts: maskParts(e.Parts, secrets),
		requestType: secrets.mask(api.Mask(api.ToStorable(e.request.Header.Get("Content-Type")))), hint: secrets.mask(api.Mask(e.responseHeader.Get(api.HintHeader))),
		requestHeaders: secrets.maskBytes(maskHeader(e.request.Header)), requestBody: secrets.maskBytes(e.maskRequestBody()),
		responseHeaders: secrets.maskBytes(maskHeader(e.responseHeader)),
		requestSize:     requestSize, responseSize: e.responseSize, requestSHA256: e.FileSHA256,
	}
	r.responseBody, r.responseEnd = e.maskResponseBody(secrets)
	if e.request.Pattern != "" { // an unknown route has none
		r.operation = r.method + " " + e.request.Pattern
	}
	r.size = rowOverhead + int64(len(r.clientID)+len(r.method)+len(r.path)+len(r.operation)+len(r.txID)+len(r.filename)+len(r.contentType)+
		len(r.requestHeaders)+len(r.responseHeaders)+len(r.requestBody)+len(r.responseBody)+len(r.responseEnd)+len(r.parts)+len(r.reason)+len(r.outcomeCompany))
	return r
}

// maskParts returns the parts of a multipart body as JSON, with their secrets masked.
func maskParts(parts []call.Part, secrets misplaced) string {
	if len(parts) == 0 {
		return ""
	}
	masked := make([]call.Part, len(parts)) // masked before encoding, because masking could cut an escape sequence
	for i, p := range parts {
		masked[i] = call.Part{
			Name: secrets.mask(api.Mask(p.Name)), Filename: secrets.mask(api.Mask(p.Filename)), ContentType: secrets.mask(api.Mask(p.ContentType)),
		}
	}
	encoded, _ := json.Marshal(masked) // strings only
	return string(encoded)
}

// maskResponseBody returns the body of the response with its secrets masked. end is the part that
// other responses share; it follows body.
func (e exchange) maskResponseBody(secrets misplaced) (body, end []byte) {
	contentType := e.responseHeader.Get("Content-Type")
	if whole := int64(len(e.responseBody)+len(e.responseEnd)) == e.responseSize; !whole || len(e.Faults) > 0 || len(secrets) > 0 || contentType != "application/json" {
		return secrets.maskBytes(maskBody(contentType, append(e.responseBody, e.responseEnd...))), nil
	}
	text := string(e.responseBody)
	if masked := api.Mask(maskJSON(text)); masked != text { // the body is valid JSON, so secrets in other forms need no search
		return []byte(masked), e.responseEnd
	}
	return e.responseBody, e.responseEnd
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
	Hint            string
	Reason          string
	Outcome         bool
	OutcomeCompany  string
}

const recordedCallColumns = `
	xid, seq, id, at, duration, client_id, method, path, route, status, tx_id, token_expired, faults, filename, content_type,
	request_headers, request_body, request_size, request_sha256,
	response_headers, response_body, response_size, parts, hint, reason, outcome, outcome_company`

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
