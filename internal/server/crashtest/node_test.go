//go:build linux

package crashtest

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"understudy.example/internal/server/servertest"
)

// node is a server of a run. It is started again whenever it has been killed.
type node struct {
	run       *run
	name      string
	binary    string // path of the server's program; "" is the one that is built from the sources
	arguments []string

	mu           sync.Mutex
	process      *servertest.Process
	api, control string // URLs; those of a killed server until the next one is ready
}

// addNode starts a server with the arguments of servertest.Command.
func (r *run) addNode(arguments ...string) *node {
	r.t.Helper()
	n := &node{run: r, name: fmt.Sprintf("server %d", len(r.nodes)+1)}
	n.arguments = append([]string{
		"LISTEN_ADDR=127.0.0.1:0", "CONTROL_ADDR=127.0.0.1:0", "TMPDIR=" + r.tempDir,
	}, arguments...)
	r.nodes = append(r.nodes, n)
	n.start()
	r.t.Cleanup(n.stop)
	return n
}

// startLimit is the time after which a start counts as failed.
const startLimit = time.Minute

// start starts the server and waits until it is ready. It returns how long that took.
// Only the test's goroutine calls it.
func (n *node) start() time.Duration {
	n.run.t.Helper()
	for attempt := 1; ; attempt++ {
		begun := time.Now()
		p := n.launch()
		limit := time.AfterFunc(startLimit, func() { p.Cmd.Process.Kill() })
		ready := p.AwaitReady()
		limit.Stop()
		if ready {
			n.mu.Lock()
			n.api, n.control = p.API, p.ControlURL
			n.mu.Unlock()
			return time.Since(begun)
		}
		n.run.journal.fail(noRecovery, "", "%s did not start, after %v: %s", n.name, time.Since(begun).Round(time.Millisecond), tail(p.Output.String(), 5))
		if attempt == 3 {
			n.run.t.Fatalf("%s does not start:\n%s", n.name, p.Output)
		}
	}
}

// launch starts the server without waiting for it. The environment variable CRASH_SERVER
// is the path of the server's program, which is otherwise built from the sources.
func (n *node) launch() *servertest.Process {
	n.run.t.Helper()
	cmd := servertest.Command(n.run.t, n.arguments...)
	if path := cmp.Or(n.binary, os.Getenv("CRASH_SERVER")); path != "" {
		cmd.Path = path
	}
	cmd.WaitDelay = time.Second // for processes that have survived a killed server and inherited its output
	p := servertest.NewProcess(n.run.t, cmd)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.process = p
	return p
}

// startAndKill starts the server and kills it after the duration, even if it is not
// ready.
func (n *node) startAndKill(after time.Duration) {
	n.run.t.Helper()
	n.launch()
	time.Sleep(after)
	n.kill()
}

// tail returns the last lines of a text.
func tail(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n\t")
}

// urls returns the URLs of the API and of the control API.
func (n *node) urls() (api, control string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.api, n.control
}

// pid returns the server's process id, 0 if it has exited.
func (n *node) pid() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	select {
	case <-n.process.Exited:
		return 0
	default:
		return n.process.Cmd.Process.Pid
	}
}

// signal sends the signal to the server alone.
func (n *node) signal(s syscall.Signal) { n.process.Cmd.Process.Signal(s) }

// kill ends the server as a crash would, and watches that the processes that it started
// end too.
func (n *node) kill() {
	if n.pid() == 0 {
		return
	}
	n.signal(syscall.SIGSTOP) // so that it stays where it is while its processes are listed
	started := descendants(n.pid())
	n.signal(syscall.SIGKILL)
	killed := time.Now()
	<-n.process.Exited
	n.saveLog()
	n.run.background.Go(func() { n.run.watchOrphans(started, killed) })
}

// orphanLimit is the time in which the processes of a killed server must have ended.
const orphanLimit = 5 * time.Second

// watchOrphans waits until the processes of a server killed at that time have ended.
func (r *run) watchOrphans(started []process, killed time.Time) {
	for {
		remaining := running(started)
		switch {
		case len(remaining) == 0:
			r.orphanTimes.add(time.Since(killed))
			return
		case time.Since(killed) > orphanLimit:
			var names []string
			for _, p := range remaining {
				names = append(names, fmt.Sprintf("%d %s", p.pid, p.command))
			}
			r.journal.fail(remains, "", "%v after a server was killed, these of its processes still ran: %s", orphanLimit, strings.Join(names, "; "))
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// stop stops the server as an administrator would.
func (n *node) stop() {
	if n.pid() == 0 {
		return
	}
	n.signal(syscall.SIGCONT)
	n.signal(syscall.SIGTERM)
	select {
	case <-n.process.Exited:
	case <-time.After(startLimit):
		n.run.t.Errorf("%s did not stop within %v of SIGTERM", n.name, startLimit)
		n.process.Kill()
	}
	n.saveLog()
}

// saveLog appends the log of the server, which has exited, to a file that
// `go test -artifacts` keeps.
func (n *node) saveLog() {
	n.run.t.Helper()
	path := filepath.Join(n.run.artifacts, strings.ReplaceAll(n.name, " ", "-")+".log")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err == nil {
		_, err = f.WriteString(n.process.Output.String())
		f.Close()
	}
	if err != nil {
		n.run.t.Error(err)
	}
}

// workers returns the worker processes of the server.
func (n *node) workers() []process {
	return slices.DeleteFunc(children(n.pid()), func(p process) bool { return !strings.HasPrefix(p.command, "understudy-worker") })
}

// durations is a list of durations that is safe for concurrent use.
type durations struct {
	mu  sync.Mutex
	all []time.Duration
}

func (d *durations) add(one time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(d.all, one)
}

// String returns their number, median and maximum.
func (d *durations) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.all) == 0 {
		return "none"
	}
	sorted := slices.Sorted(slices.Values(d.all))
	return fmt.Sprintf("%d, median %.2f s, max %.2f s", len(sorted), sorted[len(sorted)/2].Seconds(), sorted[len(sorted)-1].Seconds())
}
