package transfer

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestConnectionLog checks that the lines about connections are limited in number and length, that
// the number of omitted lines is logged, and that a panic is logged with its stack.
func TestConnectionLog(t *testing.T) {
	t.Parallel()
	var output bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&output, nil))
	synctest.Test(t, func(t *testing.T) {
		l := &connectionLog{logger: func() *slog.Logger { return logger }}
		for i := range maxConnectionLines + 12 {
			fmt.Fprintf(l, "line %d: %s\n", i, strings.Repeat("é", 1000))
		}
		fmt.Fprintf(l, "http: panic serving: %s\n", strings.Repeat("stack ", 1000))
		lines := strings.Split(strings.TrimSpace(output.String()), "\n")
		if len(lines) != maxConnectionLines+1 {
			t.Fatalf("%d lines were logged, want %d", len(lines), maxConnectionLines+1)
		}
		for _, line := range lines[:maxConnectionLines] {
			if !strings.Contains(line, "level=WARN") || len(line) > maxConnectionLine+100 {
				t.Errorf("%d bytes were logged: %s", len(line), line)
			}
		}
		if last := lines[maxConnectionLines]; !strings.Contains(last, "level=ERROR") || strings.Count(last, "stack") != 1000 {
			t.Errorf("a panic was logged as %s", last)
		}
		output.Reset()
		time.Sleep(time.Minute)
		fmt.Fprintln(l, "another line")
		if got := output.String(); !strings.Contains(got, "lines=12\n") || !strings.Contains(got, "another line") {
			t.Errorf("a minute later, %s was logged, want that 12 lines were omitted, and the line", got)
		}
	})
}
