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
	maxConnectionLines = 30  // per minute
	maxConnectionLine  = 300 // bytes; net/http quotes bytes that a webhook receiver has sent
)

// connectionLog logs the lines of net/http about single connections, such as those about TLS handshakes.
// Clients and webhook receivers can cause any number of them, so their number and length are
// limited. The number of omitted lines is logged with the first line after the minute.
type connectionLog struct {
	logger func() *slog.Logger

	mu      sync.Mutex
	begin   time.Time // of the current minute
	lines   int       // in this minute
	omitted int
}

// ConnectionLog is the writer for what net/http logs about the connections of all its servers and
// clients.
var ConnectionLog io.Writer = &connectionLog{logger: slog.Default}

// Write logs a line, unless there are too many.
func (l *connectionLog) Write(line []byte) (int, error) {
	text := strings.TrimSuffix(string(line), "\n")
	if strings.HasPrefix(text, "http: panic") { // a bug of ours; the text has its stack
		l.logger().Error(text)
		return len(line), nil
	}
	admitted, omitted := l.admit(time.Now())
	if omitted > 0 {
		l.logger().Warn("log lines about connections omitted", "lines", omitted)
	}
	if !admitted {
		return len(line), nil
	}
	if len(text) > maxConnectionLine {
		text = strings.ToValidUTF8(text[:maxConnectionLine], "") + "…"
	}
	l.logger().Warn(text)
	return len(line), nil
}

// admit reports whether a line is to be logged. For the first line after a minute has passed, omitted is the
// number of lines that were omitted in that minute; otherwise it is 0.
func (l *connectionLog) admit(now time.Time) (admitted bool, omitted int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.begin) >= time.Minute {
		omitted = l.omitted
		l.begin, l.lines, l.omitted = now, 0, 0
	}
	if l.lines++; l.lines > maxConnectionLines {
		l.omitted++
		return false, omitted
	}
	return true, omitted
}
