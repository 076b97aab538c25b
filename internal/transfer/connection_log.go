package transfer

import (
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// Limits of the lines about connections.
const (
	maxConnectionLines = 30  // in a minute
	maxConnectionLine  = 300 // bytes; net/http quotes what a receiver has sent
)

// connectionLog writes the lines of net/http about single connections to the log, such as those
// about TLS handshakes. Clients and webhook receivers cause them, so their number and their length
// are limited.
type connectionLog struct {
	logger func() *slog.Logger

	mu      sync.Mutex
	begin   time.Time // of the current minute
	lines   int       // in this minute
	omitted int
}

// ConnectionLog is the output for the lines of net/http about connections: those of all servers and of
// all clients.
var ConnectionLog io.Writer = &connectionLog{logger: slog.Default}

// Write logs a line, unless there are too many.
func (l *connectionLog) Write(line []byte) (int, error) {
	text := strings.TrimSuffix(string(line), "\n")
	if strings.HasPrefix(text, "http: panic") { // a defect of ours, with its stack
		l.logger().Error(text)
		return len(line), nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); now.Sub(l.begin) >= time.Minute {
		if l.omitted > 0 {
			l.logger().Warn("log lines about connections omitted", "lines", l.omitted)
		}
		l.begin, l.lines, l.omitted = now, 0, 0
	}
	if l.lines++; l.lines > maxConnectionLines {
		l.omitted++
		return len(line), nil
	}
	if len(text) > maxConnectionLine {
		text = strings.ToValidUTF8(text[:maxConnectionLine], "") + "…"
	}
	l.logger().Warn(text)
	return len(line), nil
}
