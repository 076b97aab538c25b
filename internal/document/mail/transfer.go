package mail

import (
	"bytes"
	"encoding/base64"
	"strings"

	"understudy.example/internal/document/decode"
)

// content returns the body of a leaf without its transfer encoding. Damage in the
// encoding is skipped.
func (e *entity) content() []byte {
	encoding, _, _ := strings.Cut(strings.ToLower(e.header.get("content-transfer-encoding")), ";")
	switch strings.TrimSpace(encoding) {
	case "base64":
		return decodeBase64(e.body)
	case "quoted-printable":
		return decodeQuotedPrintable(e.body)
	}
	return e.body
}

// decodeBase64 skips characters that do not belong to the encoding. The end may be
// missing.
func decodeBase64(in []byte) []byte {
	clean := make([]byte, 0, len(in))
	for _, c := range in {
		switch {
		case c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/':
			clean = append(clean, c)
		case c == '=':
			// Padding in the middle separates two encoded pieces.
			if len(clean)%4 == 1 {
				clean = clean[:len(clean)-1]
			}
			for len(clean)%4 != 0 {
				clean = append(clean, 'A')
			}
		}
	}
	padded := bytes.TrimRight(in, "\r\n \t")
	lost := 0
	if bytes.HasSuffix(padded, []byte("==")) {
		lost = 2
	} else if bytes.HasSuffix(padded, []byte("=")) {
		lost = 1
	}
	if len(clean)%4 == 1 {
		clean = clean[:len(clean)-1]
	}
	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(clean)))
	n, _ := base64.RawStdEncoding.Decode(out, clean)
	return out[:max(0, n-lost)]
}

func decodeQuotedPrintable(in []byte) []byte {
	var out bytes.Buffer
	out.Grow(len(in))
	for len(in) > 0 {
		line, rest := cutLine(in)
		end := in[len(line) : len(in)-len(rest)]
		line = bytes.TrimRight(line, " \t")
		if soft, ok := bytes.CutSuffix(line, []byte("=")); ok {
			line, end = soft, nil
		}
		out.Write(decode.Hex(line, '='))
		out.Write(end)
		in = rest
	}
	return out.Bytes()
}
