package journal

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"understudy.example/internal/api"
)

// mask replaces a secret.
const mask = api.Masked

// isSecretHeader reports whether the whole value of the header is a secret. The name is
// in canonical form.
func isSecretHeader(name string) bool {
	if slices.Contains(commonHeaders, name) { // so most headers need no search
		return false
	}
	return name == "Cookie" || name == "Set-Cookie" || name == "X-Auth" || isSecretName(name)
}

// commonHeaders are headers that most requests or responses have, and that hold no secret.
var commonHeaders = append([]string{"X-Request-Id", "X-Content-Type-Options", api.HintHeader, "Www-Authenticate"}, ordinaryHeaders...)

// maskHeader returns the header as JSON, with sorted names. The scheme of an
// Authorization header is not masked.
func maskHeader(header http.Header) []byte {
	masked := make([]byte, 0, 320)
	masked = append(masked, '{')
	names := make([]string, 0, 16)
	for name := range header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if len(masked) > 1 {
			masked = append(masked, ',')
		}
		masked = append(appendQuoted(masked, api.ToStorable(name)), ':', '[')
		for i, value := range header[name] {
			switch {
			case !isSecretHeader(name):
				value = api.Mask(api.ToStorable(value))
			case name == "Authorization":
				value = maskAuthorization(value)
			default:
				value = mask
			}
			if i > 0 {
				masked = append(masked, ',')
			}
			masked = appendQuoted(masked, value)
		}
		masked = append(masked, ']')
	}
	return append(masked, '}')
}

// appendQuoted appends the text as a JSON string. Most texts need no escapes.
func appendQuoted(to []byte, text string) []byte {
	if !api.IsPlain(text) {
		return append(to, quote(text)...)
	}
	return append(append(append(to, '"'), text...), '"')
}

func maskAuthorization(value string) string {
	scheme, _, ok := strings.Cut(value, " ")
	if ok && (strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, "Basic")) {
		return scheme + " " + mask
	}
	return mask
}

// maskPath returns the path and the query of the URL. The data parameter of an upload
// URL is a secret.
func maskPath(u *url.URL) string {
	path := u.EscapedPath()
	if u.RawQuery == "" {
		return api.ToStorable(api.Mask(path))
	}
	return api.ToStorable(api.Mask(path) + "?" + maskForm(u.RawQuery, "data"))
}

// maxFields is the number of fields of a form, and of parts of a multipart body, whose
// names are examined. The rest is masked as a whole.
const maxFields = 1000

// maskForm masks the values of secret names, and of the other given names, in a
// URL-encoded form. Some clients separate fields by semicolons.
func maskForm(form string, otherSecrets ...string) string {
	var masked strings.Builder
	rest, separator := form, ""
	for n := 0; n == 0 || separator != ""; n++ {
		masked.WriteString(separator)
		if n == maxFields {
			masked.WriteString(mask)
			break
		}
		field := rest
		if end := strings.IndexAny(rest, "&;"); end >= 0 {
			field, separator, rest = rest[:end], rest[end:end+1], rest[end+1:]
		} else {
			separator = ""
		}
		masked.WriteString(maskField(field, otherSecrets))
	}
	return api.Mask(masked.String())
}

// maskField masks the value of a field of a form if its name is that of a secret. If a field without
// a value looks like the name of a secret, the field itself is masked.
func maskField(field string, otherSecrets []string) string {
	name, _, named := strings.Cut(field, "=")
	plain, err := url.QueryUnescape(name)
	switch {
	case err == nil && !isSecretName(plain) && !isHeaderName(plain) && !slices.Contains(otherSecrets, plain):
		return field
	case named:
		return name + "=" + mask
	default:
		return mask
	}
}

// secretInMalformedJSON matches a secret in text that is not valid JSON: a quote too
// many or too few can make maskJSON mistake names for values. In such a text
// everything that looks like a secret is masked, and from a secret that is an array or
// an object on, everything.
var secretInMalformedJSON = regexp.MustCompile(`(?i)^((?:secret|token|key|authorization|password|assertion|credential|header)s?["']?\s*)([:=]\s*)` +
	`("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[\[{](?s:.*)|[^\r\n,&}"'<\[{]+)`)

// secretWords are the words with which secretInMalformedJSON begins, by their first
// letter.
var secretWords = map[byte]string{
	's': "secret", 't': "token", 'k': "key", 'p': "password", 'c': "credential", 'h': "header",
}

// maskMalformedJSON masks what secretInMalformedJSON matches. It tries the pattern only at
// the words with which it begins, because a search for it would take 20 ms for a body.
func maskMalformedJSON(text string) string {
	var masked strings.Builder
	done := 0 // bytes of the text that have been written
	for i := 0; i < len(text); i++ {
		if !beginsSecretWord(text[i:]) {
			continue
		}
		if m := secretInMalformedJSON.FindStringSubmatchIndex(text[i:]); m != nil {
			masked.WriteString(text[done : i+m[5]])
			masked.WriteString(mask)
			done = i + m[1]
			i = done - 1
		}
	}
	return masked.String() + text[done:]
}

// beginsSecretWord reports whether the text begins with a word of secretInMalformedJSON.
func beginsSecretWord(text string) bool {
	begins := func(word string) bool { return len(text) >= len(word) && strings.EqualFold(text[:len(word)], word) }
	first := text[0] | 0x20
	if first == 'a' {
		return begins("authorization") || begins("assertion")
	}
	word, ok := secretWords[first]
	return ok && begins(word)
}

// maskBody returns a body, which may be cut off, with its secrets masked. JSON is
// recognised whatever the content type is, since the handlers accept it too.
func maskBody(contentType string, body []byte) []byte {
	if len(body) == 0 {
		return []byte{}
	}
	if contentType != "application/json" { // spares most bodies the parsing
		kind, params, err := api.ParseMediaType(contentType)
		switch {
		case err != nil && strings.HasPrefix(strings.ToLower(contentType), "multipart/"):
			return []byte(mask) // its parts are not found
		case strings.HasPrefix(kind, "multipart/"):
			return maskMultipart(params["boundary"], body)
		}
	}
	if bytes.IndexByte(body, 0) >= 0 { // it is in UTF-16, in which no secret is recognised, or is no text
		return []byte(mask)
	}
	text := maskJSON(string(body))
	if !json.Valid(body) {
		text = maskXML(text)
		text = maskMalformedJSON(text)
	}
	if start := strings.TrimLeft(text, " \t\r\n"); strings.Contains(text, "=") && !strings.HasPrefix(start, "{") && !strings.HasPrefix(start, "[") {
		text = maskForm(text)
	}
	return []byte(api.Mask(text))
}

// maskMultipart masks the content of every part, except of those whose names are
// readable and not secret.
func maskMultipart(boundary string, body []byte) []byte {
	if boundary == "" {
		return []byte(mask)
	}
	var masked bytes.Buffer
	for i, chunk := range bytes.SplitN(body, []byte("--"+boundary), maxFields+1) {
		if i > 0 {
			masked.WriteString("--" + boundary)
		}
		if i == maxFields {
			masked.WriteString("\r\n\r\n" + mask + "\r\n")
			break
		}
		head, content, whole := bytes.Cut(chunk, []byte("\r\n\r\n"))
		switch name := partName(string(head)); {
		case len(bytes.TrimSpace(chunk)) == 0 || bytes.Equal(bytes.TrimSpace(chunk), []byte("--")):
			masked.Write(chunk)
		case !whole || name == "" || isSecretName(name) || isHeaderName(name):
			masked.WriteString("\r\nContent-Disposition: form-data; name=\"" + strings.Map(printable, name) + "\"\r\n\r\n" + mask + "\r\n")
		default:
			masked.WriteString("\r\nContent-Disposition: form-data; name=\"" + strings.Map(printable, name) + "\"\r\n\r\n")
			masked.WriteString(api.Mask(string(content)))
		}
	}
	return masked.Bytes()
}

func printable(r rune) rune {
	if r < ' ' || r == '"' {
		return -1
	}
	return r
}

// partName returns the field name in the head of a part; "" if it has none.
func partName(head string) string {
	for line := range strings.Lines(head) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if !strings.EqualFold(name, "Content-Disposition") {
			continue
		}
		if _, params, err := api.ParseMediaType(strings.TrimSpace(value)); err == nil {
			return params["name"]
		}
	}
	return ""
}
