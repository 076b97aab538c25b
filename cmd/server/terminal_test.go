package main

import (
	"strings"
	"testing"
)

func TestTerminalWriter(t *testing.T) {
	var out strings.Builder
	text := "Evil \x1b]0;pwned\x07 Müller\t\x7f\r\n\u009b31m \u202eABC \xc3"
	if n, err := (terminalWriter{&out}).Write([]byte(text)); n != len(text) || err != nil {
		t.Errorf("wrote %d bytes, %v", n, err)
	}
	if want := "Evil ?]0;pwned? Müller\t??\n?31m ?ABC \xc3"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// TestProgressOfHostileName checks that the name of a file does not control the terminal.
func TestProgressOfHostileName(t *testing.T) {
	var out strings.Builder
	p := &progress{out: &out}
	p.begin("n\x1b[31mame\u009b.txt")
	p.state("Started")
	if want := "n?[31mame?.txt: Started\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
