package main

import (
	"io"
	"os"
	"unicode"
	"unicode/utf8"
)

// Commands print texts from files and servers to these writers.
var (
	stdout = terminalWriter{os.Stdout}
	stderr = terminalWriter{os.Stderr}
)

// terminalWriter is a writer whose text withoutControls changes: the texts of documents, events
// and servers must not control the terminal that shows them.
type terminalWriter struct{ io.Writer }

// Write implements io.Writer.
func (w terminalWriter) Write(p []byte) (int, error) {
	if _, err := w.Writer.Write(withoutControls(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// withoutControls replaces control characters, except line ends and tabs, and characters that
// change the direction of the text by question marks. Bytes that are no UTF-8 can be parts of a
// character, so it keeps them.
func withoutControls(text []byte) []byte {
	shown := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			shown = append(shown, '?')
		} else {
			shown = append(shown, text[:size]...)
		}
		text = text[size:]
	}
	return shown
}
