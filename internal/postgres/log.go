//go:build linux || darwin

package postgres

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
)

// logTail returns the last lines of the Postgres log for use in an error, or "" if
// there are none. It also reports too little disk space, because the log may then lack
// the lines about it.
func (s *Server) logTail() string {
	content, _ := os.ReadFile(s.logPath())
	tail := ""
	if lines := causes(string(content)); len(lines) > 0 {
		tail = "; " + s.logPath() + " ends:\n\t" + strings.Join(lines, "\n\t")
	}
	if free, err := freeSpace(s.dir); err == nil && free < minSpace {
		tail = fmt.Sprintf("; the file system of %s has only %d KiB free, and PostgreSQL needs %d MiB to start%s", s.dir, free>>10, minSpace>>20, tail)
	}
	return tail
}

const (
	minSpace = 32 << 20 // bytes, for two segments of the write-ahead log
	maxTail  = 12       // lines
)

// ownAttempts matches lines of the log that our own attempts to connect have caused.
var ownAttempts = regexp.MustCompile(`the database system is |DETAIL:  (Consistent recovery state|Hot standby mode)`)

// causes returns the last lines of a log, without those that our own attempts to
// connect have caused. If the first line about missing disk space is earlier, it comes
// before them.
func causes(log string) []string {
	lines := slices.DeleteFunc(strings.Split(log, "\n"), func(line string) bool { return strings.TrimSpace(line) == "" || ownAttempts.MatchString(line) })
	tail := lines[max(0, len(lines)-maxTail):]
	full := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "No space left on device") })
	if full >= 0 && full < len(lines)-len(tail) {
		tail = slices.Concat(lines[full:full+1], tail[1:])
	}
	return tail
}

// freeSpace returns how many bytes are free on the file system of the directory.
func freeSpace(dir string) (uint64, error) {
	var found syscall.Statfs_t
	if err := syscall.Statfs(dir, &found); err != nil {
		return 0, err
	}
	return found.Bavail * uint64(found.Bsize), nil
}
