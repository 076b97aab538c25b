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

// input is what a body asks for; nil where it says nothing. A null is as good
// as a field that was not sent.
type input struct {
	URL    *string
	Active *bool
	Events []string
	Header *string // empty clears
	Secret *string // empty clears
}

// known are the fields of a body. Another spelling of one is a mistake that
// must not pass for a field that was not sent.
var known = []string{"url", "active", "events", "header", "secret"}

// readInput reads the body and lists what is wrong with its fields.
func readInput(r *http.Request) (input, problems, error) {
	body, err := api.Read(r, api.HookErrors)
	if err != nil {
		return input{}, nil, err
	}
	for name, value := range body {
		if lower := strings.ToLower(name); name != lower && slices.Contains(known, lower) {
			return input{}, nil, badRequest()
		}
		if bytes.Equal(value, []byte("null")) {
			delete(body, name)
		}
	}
	in, wrong := input{}, problems{}
	in.URL = text(body, "url", wrong, checkURL)
	in.Header = text(body, "header", wrong, checkHeader)
	in.Secret = text(body, "secret", wrong, checkSecret)
	if value, ok := body["active"]; ok && json.Unmarshal(value, &in.Active) != nil {
		wrong.add("active", invalid)
	}
	if value, ok := body["events"]; ok {
		if !readEvents(value, &in.Events) {
			wrong.add("events", invalid)
		}
	}
	return in, wrong, nil
}

// text reads a string and checks it; check returns what is wrong with it.
func text(body api.Object, field string, wrong problems, check func(string) string) *string {
	if _, ok := body[field]; !ok {
		return nil
	}
	given, ok := body.Text(field)
	problem := invalid
	if field == "header" {
		problem = notHeader
	}
	if ok {
		problem = check(given)
	}
	if problem != "" {
		wrong.add(field, problem)
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
		target.Hostname() == "", target.User != nil, !portExists(target.Port()),
		strings.ContainsFunc(given, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		return invalid
	}
	return ""
}

// portExists tells whether a URL may name the port; naming none is fine.
func portExists(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
}

func checkSecret(given string) string {
	if len(given) > maxSecret {
		return invalid
	}
	return ""
}

// reserved are the headers that we or the transport set.
var reserved = []string{
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
		slices.Contains(reserved, http.CanonicalHeaderKey(name)) {
		return notHeader
	}
	return ""
}

// eventForm is `*`, a subject, or a subject and an action.
var eventForm = regexp.MustCompile(`^(\*|[A-Za-z0-9_.-]{1,100}(:[A-Za-z0-9_.-]{1,100})?)$`)

func readEvents(value json.RawMessage, events *[]string) bool {
	var entries []*string // a null among them must not pass for ""
	if json.Unmarshal(value, &entries) != nil || len(entries) > maxEntries {
		return false
	}
	*events = make([]string, len(entries))
	for i, entry := range entries {
		if entry == nil || !eventForm.MatchString(*entry) {
			return false
		}
		(*events)[i] = *entry
	}
	return true
}
