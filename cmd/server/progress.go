package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// progress shows how far a submission is: as a bar on a terminal, and otherwise as a line
// for each state.
type progress struct {
	out      io.Writer
	terminal bool
	name     string
	last     string // what was shown last
}

func newProgress(out *os.File) *progress {
	info, err := out.Stat()
	return &progress{out: out, terminal: err == nil && info.Mode()&os.ModeCharDevice != 0}
}

// submissionStates are the states of a submission that lead to its end, in order.
var submissionStates = []string{"Submission_in_progress", "Scheduled", "Started", "Completed"}

// barWidth is the number of characters of a bar.
const barWidth = 30

// begin begins the progress of a file.
func (p *progress) begin(name string) { p.name, p.last = string(withoutControls([]byte(name))), "" }

// upload returns a writer that counts the bytes of the file, of the given size, that were
// sent. They are the first third of the bar.
func (p *progress) upload(size int64) io.Writer {
	sent := int64(0)
	return writerFunc(func(b []byte) (int, error) {
		sent += int64(len(b))
		p.show("Uploading", float64(sent)/float64(max(size, 1))/3)
		return len(b), nil
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// state shows the state of the submission.
func (p *progress) state(state string) {
	share := 1.0
	if i := slices.Index(submissionStates, state); i >= 0 {
		share = (1 + 2*float64(i)/float64(len(submissionStates)-1)) / 3
	}
	p.show(strings.ReplaceAll(state, "_", " "), share)
}

// show shows the current step and the fraction that is done.
func (p *progress) show(what string, share float64) {
	if p.terminal {
		filled := int(share * barWidth)
		what = fmt.Sprintf("[%s%s] %s", strings.Repeat("#", filled), strings.Repeat(".", barWidth-filled), what)
	}
	if what == p.last {
		return
	}
	p.last = what
	if p.terminal {
		fmt.Fprintf(p.out, "\r\x1b[K%s %s", p.name, what)
	} else {
		fmt.Fprintf(p.out, "%s: %s\n", p.name, what)
	}
}

// note prints a line.
func (p *progress) note(line string) {
	p.clear()
	fmt.Fprintf(p.out, "%s: %s\n", p.name, line)
}

// clear removes the bar.
func (p *progress) clear() {
	if p.terminal && p.last != "" {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.last = ""
	}
}
