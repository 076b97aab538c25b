package api

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Text from clients reaches PostgreSQL only through this package, which checks it: the
// path and the query here, JSON in read.go, forms and credentials in form.go.
// PostgreSQL rejects text that is not valid UTF-8 and text with a NUL.

// Storable reports whether PostgreSQL can store the text.
func Storable(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

// ToStorable returns the text with each NUL, and each sequence of bytes that is not
// UTF-8, replaced by U+FFFD, so that PostgreSQL can store it. No id, name or credential
// that the server accepts contains U+FFFD.
func ToStorable(text string) string {
	if IsPlain(text) {
		return text
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// IsPlain reports whether the text is printable ASCII without quotes and backslashes, so that
// it needs no escapes, as in most headers.
func IsPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// ReplaceUnstorable returns a handler of the emulated API whose path values and query
// can be stored: ToStorable is applied to them. So the response for an id that cannot
// be stored is that for an unknown id, and all earlier checks apply.
func ReplaceUnstorable(handler Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if query := storableQuery(r.URL.RawQuery); query != r.URL.RawQuery {
			replaced := *r.URL
			replaced.RawQuery = query
			r = r.WithContext(r.Context()) // a copy: the journal shows the query as it was
			r.URL = &replaced
		}
		if !Storable(r.URL.Path) {
			for _, name := range pathParameters(r) {
				r.SetPathValue(name, ToStorable(r.PathValue(name)))
			}
		}
		return handler(w, r)
	}
}

// RejectUnstorable returns a handler of the control API that responds with 400 to a
// path value or a query that cannot be stored.
func RejectUnstorable(handler Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		for _, name := range pathParameters(r) {
			if value := r.PathValue(name); !Storable(value) {
				return BadRequest("%s: %s in the path is not UTF-8, or has a NUL", name, Quote(value))
			}
		}
		for name, values := range r.URL.Query() {
			for _, value := range values {
				if !Storable(value) {
					return BadRequest("%s: invalid value %s: it is not UTF-8, or has a NUL", Quote(name), Quote(value))
				}
			}
		}
		return handler(w, r)
	}
}

var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

// pathParameters returns the names of the path values of a request that the router has
// matched.
func pathParameters(r *http.Request) []string {
	var names []string
	for _, match := range pathParameter.FindAllStringSubmatch(r.Pattern, -1) {
		names = append(names, match[1])
	}
	return names
}

// storableQuery returns the query with the names and values replaced that cannot be
// stored. The rest stays as it is, even where it is malformed.
func storableQuery(query string) string {
	if Storable(query) && !strings.Contains(query, "%") {
		return query
	}
	fields := strings.Split(query, "&")
	for i, field := range fields {
		name, value, hasValue := strings.Cut(field, "=")
		fields[i] = storableEscaped(name)
		if hasValue {
			fields[i] += "=" + storableEscaped(value)
		}
	}
	return strings.Join(fields, "&")
}

func storableEscaped(text string) string {
	plain, err := url.QueryUnescape(text)
	if err != nil || Storable(plain) {
		return text
	}
	return url.QueryEscape(ToStorable(plain))
}
