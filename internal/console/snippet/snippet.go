// Package snippet writes calls of the journal as commands and tests that make them again.
// It does not know where the calls come from.
package snippet

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// masked is what the control API shows in place of a secret.
const masked = "***"

// Call is a call of the journal, with the fields that are needed to repeat it.
type Call struct {
	Method  string
	URL     phrase
	Headers []header
	Body    phrase // nil if there is none
	Parts   []part // of a multipart body, whose contents the journal does not have
	Status  int    // 0 = no response
	Cut     bool   // the journal has only the beginning of the body
}

type header struct {
	Name  string
	Value phrase
}

type part struct {
	Name, Filename string
	ContentType    string `json:"content_type"`
}

// phrase is a text with variables for its secrets.
type phrase []piece

// piece is a text, or the name of an environment variable that has it.
type piece struct{ text, variable string }

// secretHeaders are the variables for the secrets in headers.
var secretHeaders = map[string]string{"X-Api-Key": "UNDERSTUDY_API_KEY", "Authorization": "UNDERSTUDY_TOKEN"}

// skippedHeaders are headers that a client sets itself.
var skippedHeaders = []string{
	"Accept-Encoding", "Connection", "Content-Length", "Expect", "Host", "Keep-Alive", "Te", "Traceparent", "Tracestate", "Trailer", "Transfer-Encoding",
	"Upgrade", "User-Agent", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto",
}

// newPhrase returns a text of the journal, with a variable for each secret in it.
func newPhrase(text, variable string) phrase {
	var p phrase
	for i, between := range strings.Split(text, masked) {
		if i > 0 {
			p = append(p, piece{variable: variable})
		}
		if between != "" {
			p = append(p, piece{text: between})
		}
	}
	return p
}

// New decodes a call of the journal in the form of the control API. apiURL is the URL
// of the API to which the call would be made again.
func New(encoded []byte, apiURL string) (Call, error) {
	var call struct {
		Method, Path string
		Status       int
		Request      struct {
			Headers   http.Header
			Body      string
			Truncated bool
			Parts     []part
		}
	}
	if err := json.Unmarshal(encoded, &call); err != nil {
		return Call{}, err
	}
	c := Call{
		Method: call.Method, URL: newPhrase(apiURL+call.Path, "UNDERSTUDY_UPLOAD_DATA"),
		Parts: call.Request.Parts, Status: call.Status, Cut: call.Request.Truncated,
	}
	if body := call.Request.Body; body != "" && len(c.Parts) == 0 {
		c.Body = newPhrase(body, "UNDERSTUDY_SECRET")
	}
	for _, name := range slices.Sorted(maps.Keys(call.Request.Headers)) {
		known := http.CanonicalHeaderKey(name)
		if slices.Contains(skippedHeaders, known) || len(c.Parts) > 0 && known == "Content-Type" {
			continue
		}
		for _, value := range call.Request.Headers[name] {
			variable := cmp.Or(secretHeaders[known], "UNDERSTUDY_SECRET")
			if secretHeaders[known] != "" && strings.HasPrefix(strings.ToLower(value), "basic ") {
				variable = "UNDERSTUDY_BASIC"
			}
			c.Headers = append(c.Headers, header{name, newPhrase(value, variable)})
		}
	}
	return c, nil
}

// Variables returns the names of the environment variables that the call needs.
func (r Call) Variables() []string {
	var names []string
	collect := func(p phrase) {
		for _, piece := range p {
			if piece.variable != "" && !slices.Contains(names, piece.variable) {
				names = append(names, piece.variable)
			}
		}
	}
	collect(r.URL)
	for _, h := range r.Headers {
		collect(h.Value)
	}
	collect(r.Body)
	return names
}

// write returns the phrase as an expression: text and variable write its pieces, and
// joined stands between them. If there are no pieces, it is the text of an empty
// string.
func (p phrase) write(joined string, text, variable func(string) string) string {
	if len(p) == 0 {
		return text("")
	}
	written, pending := []string{}, ""
	for i, piece := range p {
		pending += piece.text
		if pending != "" && (i == len(p)-1 || p[i+1].variable != "" || piece.variable != "") {
			written, pending = append(written, text(pending)), ""
		}
		if piece.variable != "" {
			written = append(written, variable(piece.variable))
		}
	}
	return strings.Join(written, joined)
}

// ShellQuote returns a text as one word of a POSIX shell. A text with control characters is written in the form $'…',
// which bash and zsh understand: a terminal would act on the raw characters when the word is pasted.
func ShellQuote(text string) string {
	if text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,@%+") == "" {
		return text
	}
	text = strings.ReplaceAll(text, "\x00", "")
	if !strings.ContainsFunc(text, controlsTerminal) {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	var quoted strings.Builder
	quoted.WriteString("$'")
	for i, r := range text {
		if !controlsTerminal(r) && r != '\'' && r != '\\' {
			quoted.WriteRune(r)
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		for _, b := range []byte(text[i : i+size]) {
			fmt.Fprintf(&quoted, `\%03o`, b) // also for ', so that shells that do not know $'…' do not end the word early
		}
	}
	return quoted.String() + "'"
}

// controlsTerminal reports whether a terminal can act on a character instead of printing it, as it can on bytes that are
// not UTF-8. Line breaks and tabs are harmless between quotation marks.
func controlsTerminal(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) || r == utf8.RuneError
}

// Curl returns the call as a command.
func (r Call) Curl() string {
	quote := func(p phrase) string {
		return p.write("", ShellQuote, func(name string) string { return `"$` + name + `"` })
	}
	lines := []string{"curl -sS --globoff -X " + ShellQuote(r.Method) + " " + quote(r.URL)}
	for _, h := range r.Headers {
		lines = append(lines, "-H "+quote(append(phrase{{text: h.Name + ": "}}, h.Value...)))
	}
	leftOut := 0
	for _, p := range r.Parts {
		option, ok := p.curl()
		if !ok {
			leftOut++
			continue
		}
		lines = append(lines, option)
	}
	if r.Body != nil {
		lines = append(lines, "--data-raw "+quote(r.Body))
	}
	command := strings.Join(lines, " \\\n  ")
	if leftOut > 0 {
		command += fmt.Sprintf("\n# Left out: %d parts with names that curl cannot send.", leftOut)
	}
	return command
}

// plainName and plainType match the names and media types of parts that curl's -F uses
// literally. In others, curl could find the name of a file, and send that file.
var (
	plainName = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)
	plainType = regexp.MustCompile(`^[a-z]+/[A-Za-z0-9.+-]+$`)
)

// curl returns the part as an option of curl. ok is false if curl cannot send it.
func (p part) curl() (option string, ok bool) {
	if !plainName.MatchString(p.Name) {
		return "", false
	}
	if p.Filename == "" {
		return "--form-string " + ShellQuote(p.Name+"="), true
	}
	value := p.Name + "=@" + quotedName(p.filename())
	if plainType.MatchString(p.ContentType) {
		value += ";type=" + p.ContentType
	}
	return "-F " + ShellQuote(value), true
}

// quotedName returns a file name in the form that curl's -F expects.
func quotedName(name string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
}

// filename returns the name of the file from which the part is read.
func (p part) filename() string {
	name := strings.TrimLeft(p.Filename[strings.LastIndexAny(p.Filename, `/\`)+1:], ".") // no hidden files
	if name == "" {
		return "file"
	}
	return name
}

// jsonQuote returns a text as a JavaScript string.
func jsonQuote(text string) string {
	quoted, _ := json.Marshal(text) // encoding a string cannot fail
	return string(quoted)
}

// pythonQuote returns a text as a Python string.
func pythonQuote(text string) string {
	var quoted strings.Builder
	quoted.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			quoted.WriteString(`\` + string(r))
		case r == '\n':
			quoted.WriteString(`\n`)
		case r >= ' ' && r < 0x7f:
			quoted.WriteRune(r)
		default:
			fmt.Fprintf(&quoted, `\U%08x`, r)
		}
	}
	quoted.WriteByte('"')
	return quoted.String()
}

// goQuote returns a text as a Go string.
func goQuote(text string) string { return strconv.Quote(text) }
