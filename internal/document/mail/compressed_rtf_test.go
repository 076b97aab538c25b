package mail_test

import (
	"strings"
	"testing"

	"understudy.example/internal/document/documenttest"
	"understudy.example/internal/document/mail"
)

func TestDecompressRTF(t *testing.T) {
	text := "{\\rtf1\\ansi Dear Sirs, please quote.\\par}"
	if got := string(mail.DecompressRTF([]byte(compressRTF(text, 11)))); got != text {
		t.Errorf("packed: got %q", got)
	}
	stored := documenttest.Bytes(uint32(0), uint32(len(text)), uint32(0x414c454d), uint32(0), text)
	if got := string(mail.DecompressRTF([]byte(stored))); got != text {
		t.Errorf("stored: got %q", got)
	}
	if got := mail.DecompressRTF([]byte("short")); got != nil {
		t.Errorf("short: got %q", got)
	}
}

// compressRTF compresses text without finding repetitions, except for a number of
// bytes at its start with which the dictionary starts too.
func compressRTF(text string, fromDictionary int) string {
	var out strings.Builder
	out.WriteString("\x01" + string([]byte{0, byte((fromDictionary - 2) & 15)}))
	rest := text[fromDictionary:]
	for i := 0; i < len(rest); i += 8 {
		chunk := rest[i:min(i+8, len(rest))]
		if i == 0 {
			chunk = rest[:min(7, len(rest))]
			out.WriteString(chunk)
			i -= 1
			continue
		}
		out.WriteString("\x00" + chunk)
	}
	body := out.String()
	return documenttest.Bytes(uint32(len(body)+12), uint32(len(text)), uint32(0x75465a4c), uint32(0), body)
}
