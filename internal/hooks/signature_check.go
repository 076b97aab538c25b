package hooks

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"understudy.example/internal/api"
)

// SignatureCheck is the result of CheckSignature.
type SignatureCheck struct {
	Valid    bool
	Expected string // the right X-Signature
	Cause    string // why the given one is wrong; "" if it is valid
}

// maxExplained is the maximum size in bytes of a body and its secret that are checked for the
// usual mistakes. Deliveries are hardly ever larger.
const maxExplained = 300 << 10

// CheckSignature compares an X-Signature with the one that deliveries of the format
// have. If it is wrong, it tries the usual mistakes of receivers and their tests, and
// names the first ones that explain it.
func CheckSignature(format Signature, secret string, body []byte, header string) SignatureCheck {
	check := SignatureCheck{Expected: format.Sign(secret, body)}
	if subtle.ConstantTimeCompare([]byte(header), []byte(check.Expected)) == 1 {
		check.Valid = true
		return check
	}
	check.Cause = signatureCause(format, secret, body, header)
	return check
}

// signatureCause returns why the header, which is wrong, is wrong.
func signatureCause(format Signature, secret string, body []byte, header string) string {
	digest, form, causes := parseSignature(format, header)
	if digest == nil {
		return sentence(append(causes, form))
	}
	if len(body)+len(secret) > maxExplained {
		return sentence(append(causes, strings.TrimPrefix(form+"; body and secret are larger than 300 KiB: it is unknown whether a usual mistake explains the digest", "; ")))
	}
	signed, found := explainDigest(format, secret, body, digest)
	causes = append(causes, signed...)
	if form != "" {
		causes = append(causes, form)
	}
	if !found {
		causes = append(causes, "no usual mistake explains the digest: it was made with another secret, or the body is not the one that was received, byte for byte")
	}
	return sentence(causes)
}

// sentence joins causes to a text.
func sentence(causes []string) string {
	text := strings.Join(causes, "; ")
	if text == "" {
		return "the header differs from the right one"
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// parseSignature returns the digest in a header, a mistake in the way in which it is
// written and the mistakes around it. The digest is nil if there is none.
func parseSignature(format Signature, header string) (digest []byte, form string, causes []string) {
	text := strings.TrimSpace(header)
	if text == "" {
		return nil, "the header is empty", nil
	}
	if text != header {
		causes = append(causes, "there is white space around the value")
	}
	if name, value, ok := strings.Cut(text, ":"); ok && strings.EqualFold(strings.TrimSpace(name), "X-Signature") {
		causes, text = append(causes, "the value contains the name of the header"), strings.TrimSpace(value)
	}
	if unquoted := strings.Trim(text, `"'`); unquoted != text {
		causes, text = append(causes, "the value is in quotes"), unquoted
	}
	want := "sha256="
	if format.SHA1 {
		want = "sha1="
	}
	given := ""
	if i := strings.Index(text, "="); i > 0 && i < 10 && len(strings.TrimRight(text, "=")) > i {
		given, text = text[:i+1], text[i+1:]
	}
	switch {
	case format.NoPrefix && given != "":
		causes = append(causes, "the prefix "+strconv.Quote(given)+" is not expected: send the hexadecimal digits alone")
	case !format.NoPrefix && given == "":
		causes = append(causes, "the prefix "+want+" is missing")
	case given != "" && given != want && strings.EqualFold(given, want):
		causes = append(causes, "the prefix is not in lower case: "+want)
	case given != "" && given != want && given != "sha1=" && given != "sha256=":
		causes = append(causes, "the prefix is "+strconv.QuoteToASCII(given)+" in place of "+want)
	}
	if digest, err := hex.DecodeString(text); err == nil && len(digest) > 0 {
		if text != strings.ToLower(text) {
			form = "the hexadecimal digits are in upper case: receivers get them in lower case"
		}
		return digest, form, causes
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if digest, err := encoding.DecodeString(text); err == nil && (len(digest) == sha256.Size || len(digest) == sha1.Size) {
			return digest, "the digest is in base64 in place of hexadecimal digits", causes
		}
	}
	return nil, "the value is neither hexadecimal digits nor base64 of a digest", causes
}

// variant is a changed input of a signature, with the mistake that makes it.
type variant struct {
	mistake string // "" = the right input
	value   []byte
}

// explainDigest returns the mistakes that lead to the digest, and whether it found any
// explanation; without mistakes, the digest is right.
func explainDigest(format Signature, secret string, body, digest []byte) (causes []string, found bool) {
	bodies, secrets := bodyVariants(body), secretVariants(secret)
	for _, b := range bodies {
		for _, s := range secrets {
			if b.mistake != "" && s.mistake != "" {
				continue // one mistake is likelier than two
			}
			for _, c := range digests(format, s.value, b.value) {
				if !hmac.Equal(c.value, digest) {
					if len(digest) < len(c.value) && len(digest) >= 8 && bytes.HasPrefix(c.value, digest) {
						c.mistake = strings.TrimPrefix(c.mistake+"; the digest is cut off", "; ")
					} else {
						continue
					}
				}
				for _, mistake := range []string{c.mistake, b.mistake, s.mistake} {
					if mistake != "" {
						causes = append(causes, mistake)
					}
				}
				return causes, true
			}
		}
	}
	return nil, false
}

// digests returns the right digest first, then those of other algorithms.
func digests(format Signature, secret, body []byte) []variant {
	mac := func(digest func() hash.Hash, key, text []byte) []byte {
		m := hmac.New(digest, key)
		m.Write(text)
		return m.Sum(nil)
	}
	name, other := "SHA-256", "SHA-1"
	right, wrong := sha256.New, sha1.New
	if format.SHA1 {
		name, other, right, wrong = other, name, wrong, right
	}
	sum := func(parts ...[]byte) []byte {
		h := right()
		for _, part := range parts {
			h.Write(part)
		}
		return h.Sum(nil)
	}
	return []variant{
		{"", mac(right, secret, body)},
		{"it is an HMAC of " + other + ": this server signs with " + name, mac(wrong, secret, body)},
		{"it is a plain " + name + " of the body, without the secret: use HMAC", sum(body)},
		{"it is a plain " + name + " of secret and body: use HMAC", sum(secret, body)},
		{"it is a plain " + name + " of body and secret: use HMAC", sum(body, secret)},
		{"secret and body are swapped in the HMAC", mac(right, body, secret)},
	}
}

// secretVariants returns the secret, then what it is mistaken for.
func secretVariants(secret string) []variant {
	variants := []variant{{"", []byte(secret)}}
	add := func(mistake string, value []byte) {
		if !bytes.Equal(value, []byte(secret)) {
			variants = append(variants, variant{mistake, value})
		}
	}
	add("a newline was added to the secret", []byte(secret+"\n"))
	add("white space around the secret was not used in the signature", []byte(strings.TrimSpace(secret)))
	add("the secret was empty", nil)
	if raw, err := hex.DecodeString(secret); err == nil {
		add("the secret was decoded from hexadecimal: use its text", raw)
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.RawURLEncoding} {
		if raw, err := encoding.DecodeString(secret); err == nil {
			add("the secret was decoded from base64: use its text", raw)
		}
	}
	add("the secret was encoded in base64: use its text", []byte(base64.StdEncoding.EncodeToString([]byte(secret))))
	return variants
}

// bodyVariants returns the body, then what a receiver or an editor may have made of it.
func bodyVariants(body []byte) []variant {
	variants := []variant{{"", body}}
	add := func(mistake string, value []byte) {
		if !bytes.Equal(value, body) {
			variants = append(variants, variant{mistake, value})
		}
	}
	const newline = "the signature is that of the body %s: sign and verify the raw bytes"
	add(fmt.Sprintf(newline, "with a newline at its end"), append(bytes.Clone(body), '\n'))
	add(fmt.Sprintf(newline, "with CR LF at its end"), append(bytes.Clone(body), '\r', '\n'))
	add(fmt.Sprintf(newline, "without the newline at its end"), bytes.TrimRight(body, "\r\n"))
	add(fmt.Sprintf(newline, "without the white space around it"), bytes.TrimSpace(body))
	add(fmt.Sprintf(newline, "with LF in place of CR LF"), bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n")))
	add(fmt.Sprintf(newline, "with CR LF in place of LF"), bytes.ReplaceAll(body, []byte("\n"), []byte("\r\n")))
	add("the signature is that of an empty body: the raw bytes were read before", []byte{})
	add("the signature is that of the body in base64: sign and verify the raw bytes", []byte(base64.StdEncoding.EncodeToString(body)))
	const decoded = "the signature is that of JSON that was decoded and encoded again (%s): verify the raw bytes"
	forms := reserialised(body)
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		add(fmt.Sprintf(decoded, name), forms[name])
	}
	return variants
}

// reserialisable limits the bodies that are compared with other encodings of their JSON. With
// indentation, deeply nested JSON would become much larger than the body.
var reserialisable = api.Bounds{Nesting: 20, Values: 10_000}

// reserialised returns the JSON of the body as the libraries of several languages write
// it; nil if it is not JSON, or exceeds the limits.
func reserialised(body []byte) map[string][]byte {
	var compact bytes.Buffer
	if reserialisable.Check(body) != nil || json.Compact(&compact, body) != nil {
		return nil
	}
	forms := map[string][]byte{"without white space, as JSON.stringify writes it": compact.Bytes()}
	for name, indent := range map[string]string{"indented by two spaces": "  ", "indented by four spaces": "    ", "indented by a tab": "\t"} {
		var indented bytes.Buffer
		json.Indent(&indented, body, "", indent) // the body is valid
		forms[name] = indented.Bytes()
	}
	forms["with spaces, as Python's json.dumps writes it"] = asASCII(withSpaces(compact.Bytes()))
	forms["with spaces after colons and commas"] = withSpaces(compact.Bytes())
	forms["with all characters outside ASCII escaped"] = asASCII(compact.Bytes())
	var value any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return forms
	}
	if sorted, err := json.Marshal(value); err == nil {
		forms["with sorted keys, as Go's encoding/json writes a map"] = sorted
	}
	var plain bytes.Buffer
	encoder := json.NewEncoder(&plain)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) == nil {
		sorted := bytes.TrimSuffix(plain.Bytes(), []byte("\n"))
		forms["with sorted keys"] = sorted
		forms["with sorted keys, as Python's json.dumps(sort_keys=True) writes it"] = asASCII(withSpaces(sorted))
	}
	return forms
}

// withSpaces returns compact JSON with a space after each colon and comma.
func withSpaces(compact []byte) []byte {
	var out []byte
	quoted := false
	for i := 0; i < len(compact); i++ {
		c := compact[i]
		out = append(out, c)
		switch {
		case quoted && c == '\\':
			i++
			out = append(out, compact[i])
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ':' || c == ','):
			out = append(out, ' ')
		}
	}
	return out
}

// asASCII returns JSON with all characters outside ASCII as \u escapes.
func asASCII(text []byte) []byte {
	var out []byte
	var units [2]uint16
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		if r < utf8.RuneSelf {
			out = append(out, byte(r))
			continue
		}
		for _, unit := range utf16.AppendRune(units[:0], r) {
			out = hex.AppendEncode(append(out, '\\', 'u'), []byte{byte(unit >> 8), byte(unit)})
		}
	}
	return out
}
