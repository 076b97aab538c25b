//go:build linux || darwin

package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"understudy.example/internal/extract"
)

// process is a worker process, as seen by its parent.
type process struct {
	cmd     *exec.Cmd
	conn    *net.UnixConn
	limits  Limits
	timeout time.Duration // wall-clock time that it has to respond
	layers  []Layer       // of its sandbox
	stderr  *prefixBuffer
	exited  chan struct{} // closed when the process has exited

	tenant    string // whose documents it extracts; "" before the first one, and in a shared pool
	idleSince time.Time
}

// startProcess starts a worker process and waits until it is ready.
func startProcess(limits Limits) (*process, error) {
	if os.Args[0] == processName {
		return nil, errors.New("a worker process cannot start worker processes: the program must call worker.Main first")
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	w := &process{limits: limits, timeout: responseTimeout(limits.Time), stderr: &prefixBuffer{}, exited: make(chan struct{})}
	connection, err := net.FileConn(ours)
	ours.Close()
	if err != nil {
		return nil, err
	}
	w.conn = connection.(*net.UnixConn)
	if w.cmd, w.layers, err = startIsolated(func() *exec.Cmd {
		cmd := exec.Command(executable())
		cmd.Args = []string{processName, limits.Time.String(), strconv.FormatInt(limits.Memory, 10)}
		cmd.Env = []string{}
		cmd.Dir = "/"
		cmd.Stderr = w.stderr
		cmd.ExtraFiles = []*os.File{theirs}
		return cmd
	}); err != nil {
		w.conn.Close()
		return nil, err
	}
	go func() {
		w.cmd.Wait()
		w.conn.Close()
		close(w.exited)
	}()
	// The process sends a message when it is ready, so that no document waits for
	// its start.
	w.conn.SetDeadline(time.Now().Add(startTimeout))
	var ready readyMessage
	if err := readFrame(w.conn, maxRequest, &ready); err != nil {
		w.kill()
		<-w.exited
		return nil, fmt.Errorf("worker process did not become ready: %w (stderr: %q)", err, w.stderr.String())
	}
	w.layers = append(w.layers, ready.layer())
	logLayers(w.layers)
	return w, nil
}

// ProbeSandbox starts a worker process and returns the layers of its sandbox.
func ProbeSandbox(limits Limits) ([]Layer, error) {
	w, err := startProcess(limits)
	if err != nil {
		return nil, err
	}
	w.kill()
	<-w.exited
	return w.layers, nil
}

// startTimeout is the time that a worker process has to become ready. It has a low priority, so that its start takes long
// on a busy machine.
const startTimeout = 2 * time.Minute

func socketPair() (ours, theirs *os.File, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	for _, fd := range pair {
		syscall.CloseOnExec(fd)
	}
	return os.NewFile(uintptr(pair[0]), "parent"), os.NewFile(uintptr(pair[1]), "worker"), nil
}

// alive reports whether the process is not known to have exited.
func (w *process) alive() bool {
	select {
	case <-w.exited:
		return false
	default:
		return true
	}
}

// unused reports whether the process can extract documents of any tenant.
func (w *process) unused() bool { return w.tenant == "" }

// hasUnread reports whether the process has sent bytes that have not been read. Only a
// compromised process sends more than one response to a request.
func (w *process) hasUnread() bool {
	raw, err := w.conn.SyscallConn()
	if err != nil {
		return false
	}
	n := 0
	if err := raw.Control(func(fd uintptr) {
		n, _, _ = syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	}); err != nil {
		return false
	}
	return n > 0
}

func (w *process) kill() { w.cmd.Process.Kill() }

// roundTrip sends a request and waits for the response. Its error is an
// *extract.Unreadable if the document exceeds a limit, and a *Crash if the process has
// died for another reason or does not respond. After an error, the process must be discarded.
func (w *process) roundTrip(ctx context.Context, req request, file *os.File) (*response, error) {
	w.conn.SetDeadline(time.Time{})
	w.stderr.reset()
	stop := context.AfterFunc(ctx, w.interrupt)
	stopTimer := afterRunning(w.timeout, w.interrupt)
	var res *response
	err := w.sendRequest(req, file)
	if err == nil {
		res, err = readResponse(w.conn, req.maxResponse())
	}
	if err == nil && (res.View != nil && req.View == nil || res.Extraction != nil && req.View != nil) {
		err = invalidMessageError{errors.New("response to another request")}
	}
	if err == nil && w.hasUnread() {
		err = invalidMessageError{errors.New("data after the response")}
	}
	stopTimer()
	if !stop() {
		return nil, ctx.Err()
	}
	var invalid invalidMessageError
	switch {
	case err == nil:
		return res, nil
	case errors.As(err, &invalid):
		slog.WarnContext(ctx, "invalid response of worker process", "filename", req.Name, "err", err)
		return nil, &extract.Unreadable{Cause: CauseResult, Reason: "the extracted data exceeds a limit"}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &Crash{Exit: fmt.Sprintf("no response within %s", w.timeout), Stderr: w.stderr.String(), err: err}
	}
	// The connection is closed: the process has exited or is about to.
	select {
	case <-w.exited:
	case <-time.After(exitTimeout):
		w.kill()
		<-w.exited
	}
	return nil, w.causeOfDeath(err)
}

// exitTimeout is the time that a worker process has to exit after it has closed its
// connection. Only then is it killed, because killing it earlier would hide its own
// exit status.
const exitTimeout = 2 * time.Second

// interrupt makes the reads and writes of roundTrip fail.
func (w *process) interrupt() { w.conn.SetDeadline(time.Unix(1, 0)) }

// afterRunning calls do once this process has been running for the duration. The time
// during which the process is stopped, or the machine asleep, does not count: a
// response may have arrived in the meantime. The function that it returns prevents
// the call.
func afterRunning(duration time.Duration, do func()) (stop func()) {
	const ticks = 100
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		interval := max(duration/ticks, time.Millisecond)
		tick := time.NewTicker(interval)
		defer tick.Stop()
		last := time.Now()
		for left := duration; left > 0; {
			select {
			case <-done:
				return
			case now := <-tick.C:
				left -= min(now.Sub(last), max(10*interval, time.Second))
				last = now
			}
		}
		do()
	}()
	return func() {
		close(done)
		<-ended
	}
}

// sendRequest sends the request together with the file descriptor.
func (w *process) sendRequest(req request, file *os.File) error {
	message, err := encodeFrame(req)
	if err != nil {
		return err
	}
	if len(message) > maxRequest {
		return errors.New("file name too long")
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	sent := 0
	var sendErr error
	if err := raw.Control(func(fd uintptr) {
		sent, _, sendErr = w.conn.WriteMsgUnix(message, syscall.UnixRights(int(fd)), nil)
	}); err != nil {
		return err
	}
	if sendErr != nil {
		return sendErr
	}
	_, err = w.conn.Write(message[sent:])
	return err
}

// causeOfDeath returns the reason why the process has exited: an *extract.Unreadable if
// it has reached one of its limits, otherwise a *Crash. err is the error of the
// connection.
func (w *process) causeOfDeath(err error) error {
	state := w.cmd.ProcessState
	status, _ := state.Sys().(syscall.WaitStatus)
	stderr := w.stderr.String()
	// The Go runtime exits with status 2 after the message of a fatal error.
	fatal := func(message string) bool {
		return state.ExitCode() == 2 && strings.Contains(stderr, "fatal error: "+message)
	}
	killedBy := func(signal syscall.Signal) bool { return status.Signaled() && status.Signal() == signal }
	switch {
	case state.ExitCode() == exitOutOfMemory,
		fatal("runtime: out of memory"), fatal("runtime: cannot allocate memory"), fatal("out of memory"):
		return &extract.Unreadable{Cause: CauseMemory, Reason: fmt.Sprintf("processing took more than %d MiB of memory", w.limits.Memory>>20)}
	case fatal("stack overflow"):
		return &extract.Unreadable{Cause: CauseNesting, Reason: "the document is nested too deeply"}
	// The kernel kills a process that does not exit at the limit of a document.
	case state.ExitCode() == exitOutOfTime, killedBy(syscall.SIGXCPU),
		killedBy(syscall.SIGKILL) && state.UserTime()+state.SystemTime() >= cpuLimit(w.limits.Time):
		return &extract.Unreadable{Cause: CauseTime, Reason: fmt.Sprintf("processing took longer than %s", w.limits.Time)}
	}
	return &Crash{Exit: state.String(), Stderr: stderr, err: err}
}

// copySize is the size in bytes of the parts in which a document that is not a file is
// copied. Each part can be a call to another server.
const copySize = 4 << 20

// fileOfDocument returns the document as an open file, which the caller must close.
func fileOfDocument(document Document) (*os.File, error) {
	if conn, ok := document.(syscall.Conn); ok {
		raw, err := conn.SyscallConn()
		if err != nil {
			return nil, err
		}
		duplicated := -1
		var dupErr error
		if err := raw.Control(func(fd uintptr) { duplicated, dupErr = duplicate(int(fd)) }); err != nil {
			return nil, err
		}
		if dupErr != nil {
			return nil, os.NewSyscallError("dup", dupErr)
		}
		return os.NewFile(uintptr(duplicated), "document"), nil
	}
	file, err := os.CreateTemp("", "document-")
	if err != nil {
		return nil, err
	}
	// The unlinked file exists as long as it is open.
	err = os.Remove(file.Name())
	if err == nil {
		// Hide the file's ReadFrom method, which would read in small parts.
		_, err = io.CopyBuffer(struct{ io.Writer }{file}, io.NewSectionReader(document, 0, document.Size()), make([]byte, copySize))
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// duplicate duplicates the descriptor. No child process inherits the duplicate.
func duplicate(fd int) (int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	duplicated, err := syscall.Dup(fd)
	if err == nil {
		syscall.CloseOnExec(duplicated)
	}
	return duplicated, err
}

// prefixBuffer keeps the first maxStderr bytes written to it since its last reset: the
// cause of a crash is at the beginning of the output.
type prefixBuffer struct {
	mu      sync.Mutex
	text    bytes.Buffer
	written int
}

const (
	maxStderr   = 4 << 10
	endlessText = 1 << 20 // bytes since the last reset; no report of a crash is that long
)

// Write implements io.Writer. It returns an error after endlessText bytes. exec.Cmd then closes the
// pipe, so that SIGPIPE kills a process which writes without end. If it survives, this process at
// least spends no more time on its text.
func (b *prefixBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text.Write(p[:min(len(p), maxStderr-b.text.Len())])
	if b.written += len(p); b.written > endlessText {
		return 0, errEndlessText
	}
	return len(p), nil
}

var errEndlessText = errors.New("the process writes to standard error without end")

func (b *prefixBuffer) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text.Reset()
	b.written = 0
}

func (b *prefixBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
