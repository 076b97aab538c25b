package main

import (
	"strings"
	"testing"
)

func TestTerminalWriter(t *testing.T) {
	var out strings.Builder
	text := "Evil \x1b]0;pwned\x07 Müller\t\x7f\r\n"
	if n, err := (terminalWriter{&out}).Write([]byte(text)); n != len(text) || err != nil {
		t.Errorf("wrote %d bytes, %v", n, err)
	}
	if want := "Evil ?]0;pwned? Müller\t??\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
