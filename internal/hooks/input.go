package hooks

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/http/httpguts"

	"understudy.example/internal/api"
	"understudy.example/internal/hooks/delivery"
)

const (
	maxURL     = 2048 // bytes
	maxHeader  = 4096
	maxSecret  = 4096
	maxEntries = 100 // of events
)

// input has the fields of a request's body; nil if a field was not sent or is null.
type input struct {
	URL    *string
	Active *bool
	Events []string
	Header *string // "" removes it
	Secret *string // "" removes it
}

// inputFields are the fields of a body. A field that is spelled in another case is an
// error, so that it is not taken for a field that was not sent.
var inputFields = []string{"url", "active", "events", "header", "secret"}

// readInput reads the body and returns the errors of its fields.
func readInput(r *http.Request) (input, fieldErrors, error) {
	body, err := api.Read(r, api.HookErrors)
	if err != nil {
		return input{}, nil, err
	}
	for name, value := range body {
		if lower := strings.ToLower(name); name != lower && slices.Contains(inputFields, lower) {
			return input{}, nil, badRequest("the key " + api.Quote(name) + " has the wrong case: write " + lower)
		}
		if bytes.Equal(value, []byte("null")) {
			delete(body, name)
		}
	}
	in, fieldErrs := input{}, fieldErrors{}
	in.URL = readText(body, "url", fieldErrs, checkURL)
	in.Header = readText(body, "header", fieldErrs, checkHeader)
	in.Secret = readText(body, "secret", fieldErrs, checkSecret)
	if value, ok := body["active"]; ok && json.Unmarshal(value, &in.Active) != nil {
		fieldErrs.add("active", invalid)
	}
	if value, ok := body["events"]; ok {
		if !readEvents(value, &in.Events) {
			fieldErrs.add("events", invalid)
		}
	}
	return in, fieldErrs, nil
}

// readText reads a string field; check returns its error message, or "".
func readText(body api.Object, field string, fieldErrs fieldErrors, check func(string) string) *string {
	if _, ok := body[field]; !ok {
		return nil
	}
	given, ok := body.Text(field)
	message := invalid
	if field == "header" {
		message = invalidHeader
	}
	if ok {
		message = check(given)
	}
	if message != "" {
		fieldErrs.add(field, message)
	}
	return &given
}

func checkURL(given string) string {
	if strings.TrimSpace(given) == "" {
		return blank
	}
	target, err := url.Parse(given)
	switch {
	case err != nil, len(given) > maxURL,
		target.Scheme != "http" && target.Scheme != "https",
		target.Hostname() == "", target.User != nil, !isPort(target.Port()),
		strings.ContainsFunc(given, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		return invalid
	}
	return ""
}

// isPort reports whether the port of a URL is valid; "" is no port.
func isPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
}

func checkSecret(given string) string {
	if len(given) > maxSecret {
		return invalid
	}
	return ""
}

// reservedHeaders are the headers that the sender or the transport sets.
var reservedHeaders = []string{
	"Host", "Content-Length", "Content-Type", "Content-Encoding", "Transfer-Encoding", "Trailer", "Te",
	"Connection", "Keep-Alive", "Proxy-Connection", "Upgrade", "Http2-Settings", "Expect", "Accept-Encoding", "User-Agent",
	"X-Signature", "X-Emperor-Event", "X-Request-Id", "X-Delivery-Id",
}

func checkHeader(given string) string {
	if given == "" {
		return ""
	}
	name, value := delivery.SplitHeader(given)
	if len(given) > maxHeader || value == "" || strings.ContainsFunc(given, unicode.IsControl) ||
		!httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) ||
		slices.Contains(reservedHeaders, http.CanonicalHeaderKey(name)) {
		return invalidHeader
	}
	return ""
}

// eventPattern matches `*`, a subject, or a subject and an action.
var eventPattern = regexp.MustCompile(`^(\*|[A-Za-z0-9_.-]{1,100}(:[A-Za-z0-9_.-]{1,100})?)$`)

func readEvents(value json.RawMessage, events *[]string) bool {
	var entries []*string // distinguishes null from ""
	if json.Unmarshal(value, &entries) != nil || len(entries) > maxEntries {
		return false
	}
	*events = make([]string, len(entries))
	for i, entry := range entries {
		if entry == nil || !eventPattern.MatchString(*entry) {
			return false
		}
		(*events)[i] = *entry
	}
	return true
}
