package main

import (
	"io"
	"os"
)

// Commands print texts from files and servers to these writers.
var (
	stdout = terminalWriter{os.Stdout}
	stderr = terminalWriter{os.Stderr}
)

// terminalWriter replaces control characters, except line ends and tabs, by question
// marks: the texts of documents, events and servers must not control the terminal that shows
// them.
type terminalWriter struct{ io.Writer }

// Write implements io.Writer.
func (w terminalWriter) Write(p []byte) (int, error) {
	shown := make([]byte, len(p))
	for i, b := range p {
		if b < ' ' && b != '\n' && b != '\t' || b == 0x7f {
			b = '?'
		}
		shown[i] = b
	}
	return w.Writer.Write(shown)
}
