package worker

import (
	"context"
	"errors"
	"os/exec"
	"testing"
	"time"
)

// TestProcessThatWritesWithoutEnd checks that a process which writes to standard error without end
// is killed, and does not keep the server busy with reading.
func TestProcessThatWritesWithoutEnd(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	text := &prefixBuffer{}
	cmd := exec.CommandContext(ctx, "sh", "-c", "exec yes >&2")
	cmd.Stderr = text
	var exit *exec.ExitError
	if err := cmd.Run(); !errors.As(err, &exit) || ctx.Err() != nil {
		t.Errorf("the process ended with %v, %v; want it killed", err, ctx.Err())
	}
	if n := len(text.String()); n != maxStderr {
		t.Errorf("%d bytes are kept, want %d", n, maxStderr)
	}
}
