package hooks

import (
	"bytes"
	"encoding/json"
	"errors"
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
	maxURL         = 2048 // bytes
	maxHeader      = 4096
	maxSecret      = 4096
	maxEntries     = 100  // of events
	maxEventsBytes = 8192 // of all entries together
)

// input has the fields of a request's body; nil if a field was not sent.
type input struct {
	URL    *string
	Active *bool
	Events []string
	Header *string // "" removes it
	Secret *string // "" removes it
	Name   *string // "" removes it; the API does not accept it

	missingURLHint string // why the body seems to have a url but has none; "" = unknown
}

// missingURLHint returns a hint about a url that stands elsewhere in the body; "" if
// there is none.
func missingURLHint(body api.Object) string {
	for _, name := range []string{"URL", "Url", "urL", "uRl", "uRL", "UrL", "URl"} {
		if _, ok := body[name]; ok {
			return "keys are case-sensitive: write url in place of " + name
		}
	}
	if _, ok := body["config"]; ok {
		return "send url, header and secret as keys of the body itself, not of config"
	}
	return ""
}

// readInput reads the body and returns the errors of its fields. null clears the
// header; for other fields it counts as not sent. Unknown keys are ignored, and a key
// in another case is unknown.
func readInput(r *http.Request, sender *Sender) (input, fieldErrors, error) {
	body, err := api.Read(r, api.HookErrors)
	if err != nil {
		return input{}, nil, err
	}
	in, fieldErrs := parseInput(body, sender)
	return in, fieldErrs, nil
}

// parseInput parses the fields of a body, and returns their errors. See readInput.
func parseInput(body api.Object, sender *Sender) (input, fieldErrors) {
	in, fieldErrs := input{missingURLHint: missingURLHint(body)}, fieldErrors{}
	for name, value := range body {
		if !bytes.Equal(value, []byte("null")) {
			continue
		}
		delete(body, name)
		if name == "header" {
			in.Header = new(string)
		}
	}
	read := func(field string, to **string, otherType fieldError, check func(string) fieldError) {
		if _, ok := body[field]; !ok {
			return
		}
		given, ok := body.Text(field)
		*to = &given
		wrong := otherType
		if ok {
			wrong = check(given)
		}
		if wrong != (fieldError{}) {
			fieldErrs[field] = wrong
		}
	}
	read("url", &in.URL, fieldError{invalid, "send a string with an absolute http or https URL"}, func(given string) fieldError { return checkURL(given, sender) })
	read("header", &in.Header, headerNotAPair, checkHeader)
	read("secret", &in.Secret, secretInvalid, checkSecret)
	if value, ok := body["active"]; ok && json.Unmarshal(value, &in.Active) != nil {
		fieldErrs["active"] = activeInvalid
	}
	if value, ok := body["events"]; ok {
		if wrong := readEvents(value, &in.Events); wrong != (fieldError{}) {
			fieldErrs["events"] = wrong
		}
	}
	return in, fieldErrs
}

// checkURL returns the error of a subscription's URL, or the zero value if the URL is
// valid. If its host is an IP address, the sender must deliver to that address.
func checkURL(given string, sender *Sender) fieldError {
	if strings.TrimSpace(given) == "" {
		return urlMissing
	}
	target, err := url.Parse(given)
	switch {
	case len(given) > maxURL:
		return fieldError{invalid, "send a URL of at most 2,048 bytes"}
	case strings.ContainsFunc(given, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		return fieldError{invalid, "remove the white space and control characters from the URL"}
	case err != nil, target.Scheme != "http" && target.Scheme != "https", target.Hostname() == "":
		return fieldError{invalid, "send an absolute URL that begins with http:// or https:// and a host"}
	case target.User != nil:
		return fieldError{invalid, "remove the user name and password from the URL: use header for credentials"}
	case !isPort(target.Port()):
		return fieldError{invalid, "send a port from 1 to 65535, or none"}
	}
	switch err := sender.CheckHost(target.Hostname()); {
	case errors.Is(err, delivery.ErrInvalidHost):
		return fieldError{invalid, "the host is neither a name nor an IP address: correct it"}
	case errors.Is(err, delivery.ErrNeverAllowed):
		return fieldError{notAllowed, "this server never delivers to this address: use another host"}
	case err != nil:
		return fieldError{notAllowed, "this server does not deliver to this address: use another host, or allow the address with --webhook-allow"}
	}
	return fieldError{}
}

// isPort reports whether the port of a URL is valid; "" is no port.
func isPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
}

func checkSecret(given string) fieldError {
	if len(given) > maxSecret {
		return secretInvalid
	}
	return fieldError{}
}

// reservedHeaders are the headers that the sender or the transport sets.
var reservedHeaders = []string{
	"Host", "Content-Length", "Content-Type", "Content-Encoding", "Transfer-Encoding", "Trailer", "Te",
	"Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authorization", "Upgrade", "Http2-Settings", "Expect", "Accept-Encoding", "User-Agent",
	"X-Signature", "X-Emperor-Event", "X-Request-Id", "X-Delivery-Id",
}

func checkHeader(given string) fieldError {
	name, value := delivery.SplitHeader(given)
	switch {
	case len(given) > maxHeader:
		return fieldError{InvalidHeader, "send at most 4,096 bytes"}
	case strings.ContainsFunc(given, unicode.IsControl):
		return fieldError{InvalidHeader, "remove the control characters, such as tabs and line breaks"}
	case value == "", !httpguts.ValidHeaderFieldName(name), !httpguts.ValidHeaderFieldValue(value):
		return headerNotAPair
	case slices.Contains(reservedHeaders, http.CanonicalHeaderKey(name)):
		return fieldError{InvalidHeader, "the server sets " + api.Quote(name) + " itself: choose another name"}
	}
	return fieldError{}
}

// eventPattern matches `*`, a subject, or a subject and an action.
var eventPattern = regexp.MustCompile(`^(\*|[A-Za-z0-9_.-]{1,100}(:[A-Za-z0-9_.-]{1,100})?)$`)

// ValidEntry reports whether the text can be an entry of a subscription's events.
func ValidEntry(text string) bool { return eventPattern.MatchString(text) }

// readEvents reads the events of a subscription. It returns their error, or the zero
// value if they are valid.
func readEvents(value json.RawMessage, events *[]string) fieldError {
	var entries []*string // distinguishes null from ""
	if json.Unmarshal(value, &entries) != nil || len(entries) > maxEntries {
		return eventsInvalid
	}
	*events = make([]string, len(entries))
	size := 0
	for i, entry := range entries {
		if entry == nil || !ValidEntry(*entry) {
			return eventsInvalid
		}
		(*events)[i] = *entry
		size += len(*entry)
	}
	if size > maxEventsBytes {
		return eventsTooLong
	}
	return fieldError{}
}
