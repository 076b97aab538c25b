package journal

import (
	"bytes"
	"encoding/json"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// mask stands where a secret was.
const mask = "***"

// secretNames are fields of bodies, forms and queries that hold a secret.
var secretNames = map[string]bool{
	"client_secret": true, "access_token": true, "refresh_token": true, "secret": true,
	"api_key": true, "x-api-key": true, "authorization": true, "password": true, "client_assertion": true,
}

func secretName(name string) bool { return secretNames[strings.ToLower(strings.TrimSpace(name))] }

// secretHeaders are those whose whole value is one.
var secretHeaders = map[string]bool{
	"Authorization": true, "Proxy-Authorization": true, "X-Api-Key": true, "Cookie": true, "Set-Cookie": true,
}

// maskHeader is the header as JSON, its names in order. Of an Authorization the
// scheme stays.
func maskHeader(header http.Header) []byte {
	masked := make([]byte, 0, 512)
	masked = append(masked, '{')
	for _, name := range slices.Sorted(maps.Keys(header)) {
		if len(masked) > 1 {
			masked = append(masked, ',')
		}
		masked = append(appendQuoted(masked, storable(name)), ':', '[')
		for i, value := range header[name] {
			switch {
			case !secretHeaders[name]:
				value = maskText(storable(value))
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

// appendQuoted appends the text as a JSON string. Most needs no escape.
func appendQuoted(to []byte, text string) []byte {
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) {
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

// maskPath is the URL's path and query. An upload's data is a secret.
func maskPath(u *url.URL) string {
	path := u.EscapedPath()
	if u.RawQuery == "" {
		return storable(maskText(path))
	}
	return storable(maskText(path) + "?" + maskForm(u.RawQuery, "data"))
}

// maskForm masks the values of secret names, and of also, in an urlencoded form.
func maskForm(form string, also ...string) string {
	fields := strings.Split(form, "&")
	for i, field := range fields {
		name, _, _ := strings.Cut(field, "=")
		plain, err := url.QueryUnescape(name)
		secret := err != nil || secretName(plain)
		for _, other := range also {
			secret = secret || plain == other
		}
		if secret {
			fields[i] = name + "=" + mask
		}
	}
	return maskText(strings.Join(fields, "&"))
}

// Secrets that show by their form, wherever they stand: the data of an upload
// address, and signed tokens.
var (
	uploadData = regexp.MustCompile(`\bdata=[A-Za-z0-9_%-]{16,}`)
	signed     = regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}(\.[A-Za-z0-9_-]*){0,2}`)
)

// inMalformed is a secret in text that is no whole JSON: a quote too many or too
// few may have had maskJSON take names for values. Here what looks like a
// secret is one.
var inMalformed = regexp.MustCompile(`(?i)((?:secret|token|api_key|api-key|authorization|password|assertion|header)"?\s*)([:=]\s*)("(?:[^"\\]|\\.)*"?|[^\s,&}"]+)`)

func maskText(text string) string {
	if strings.Contains(text, "data=") { // most text is spared the expressions
		text = uploadData.ReplaceAllString(text, "data="+mask)
	}
	if strings.Contains(text, "eyJ") {
		text = signed.ReplaceAllString(text, mask)
	}
	return text
}

// maskBody is a body of the content type, perhaps cut, without its secrets.
// JSON is taken for JSON whatever its type says, as the handlers do.
func maskBody(contentType string, body []byte) []byte {
	if len(body) == 0 {
		return []byte{}
	}
	if contentType != "application/json" { // as most are
		if kind, params, _ := mime.ParseMediaType(contentType); strings.HasPrefix(kind, "multipart/") {
			return maskMultipart(params["boundary"], body)
		}
	}
	text := maskJSON(string(body))
	if !json.Valid(body) {
		text = inMalformed.ReplaceAllString(text, "$1$2"+mask)
	}
	if start := strings.TrimLeft(text, " \t\r\n"); !strings.HasPrefix(start, "{") && !strings.HasPrefix(start, "[") {
		text = maskForm(text)
	}
	return []byte(maskText(text))
}

// maskMultipart keeps the contents of those parts alone whose names are known
// to be no secrets.
func maskMultipart(boundary string, body []byte) []byte {
	if boundary == "" {
		return []byte(mask)
	}
	var masked bytes.Buffer
	for i, chunk := range bytes.Split(body, []byte("--"+boundary)) {
		if i > 0 {
			masked.WriteString("--" + boundary)
		}
		head, content, whole := bytes.Cut(chunk, []byte("\r\n\r\n"))
		switch name := partName(string(head)); {
		case len(bytes.TrimSpace(chunk)) == 0 || bytes.Equal(bytes.TrimSpace(chunk), []byte("--")):
			masked.Write(chunk)
		case !whole || name == "" || secretName(name):
			masked.WriteString("\r\nContent-Disposition: form-data; name=\"" + strings.Map(printable, name) + "\"\r\n\r\n" + mask + "\r\n")
		default:
			masked.WriteString("\r\nContent-Disposition: form-data; name=\"" + strings.Map(printable, name) + "\"\r\n\r\n")
			masked.WriteString(maskText(string(content)))
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

// partName is the field's name in the head of a part; "" when it has none.
func partName(head string) string {
	for line := range strings.Lines(head) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if !strings.EqualFold(name, "Content-Disposition") {
			continue
		}
		if _, params, err := mime.ParseMediaType(strings.TrimSpace(value)); err == nil {
			return params["name"]
		}
	}
	return ""
}
