//go:build linux || darwin

package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is a child as its parent sees it.
type process struct {
	cmd    *exec.Cmd
	conn   *net.UnixConn
	limits Limits
	said   *beginning
	ended  chan struct{} // closed when it has

	documents int // that it has read
	since     time.Time
}

// begin starts a child.
func begin(limits Limits) (*process, error) {
	if os.Args[0] == name {
		return nil, errors.New("a reader can't have readers: child.Main was not called first")
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	c := &process{limits: limits, said: &beginning{}, ended: make(chan struct{})}
	connection, err := net.FileConn(ours)
	ours.Close()
	if err != nil {
		return nil, err
	}
	c.conn = connection.(*net.UnixConn)
	if c.cmd, err = startApart(func() *exec.Cmd {
		cmd := exec.Command(executable())
		cmd.Args = []string{name, limits.Wall.String(), strconv.FormatInt(limits.Memory, 10)}
		cmd.Env = []string{}
		cmd.Dir = "/"
		cmd.Stderr = c.said
		cmd.ExtraFiles = []*os.File{theirs}
		return cmd
	}); err != nil {
		c.conn.Close()
		return nil, err
	}
	go func() {
		c.cmd.Wait()
		c.conn.Close()
		close(c.ended)
	}()
	// It says one byte when it is warm, so that no document waits for that.
	c.conn.SetDeadline(time.Now().Add(warming))
	if _, err := c.conn.Read(make([]byte, 1)); err != nil {
		c.kill()
		<-c.ended
		return nil, fmt.Errorf("it did not come up: %w, saying %q", err, c.said.String())
	}
	return c, nil
}

// warming is how long a child may take to come up.
const warming = 30 * time.Second

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
	return os.NewFile(uintptr(pair[0]), "parent"), os.NewFile(uintptr(pair[1]), "child"), nil
}

// alive tells whether it has not yet been seen to end.
func (c *process) alive() bool {
	select {
	case <-c.ended:
		return false
	default:
		return true
	}
}

func (c *process) kill() { c.cmd.Process.Kill() }

// errBroken is the error of a child that did not answer as it should. final
// tells that the document would do the same to a fresh one.
type errBroken struct {
	reason string // fit to be shown
	final  bool
	err    error
}

func (e *errBroken) Error() string { return e.reason }

// ask has the child read one document, within its time. After an error the
// child is of no more use.
func (c *process) ask(ctx context.Context, q question, file *os.File) (*answer, error) {
	deadline := time.Now().Add(c.limits.Wall)
	c.conn.SetDeadline(deadline)
	stop := context.AfterFunc(ctx, func() { c.conn.SetDeadline(time.Unix(1, 0)) })
	got := &answer{}
	err := c.send(q, file)
	if err == nil {
		err = readFrame(c.conn, maxAnswer, got)
	}
	if err == nil {
		if err = got.check(); err != nil {
			err = errInvalid{err}
		}
	}
	if !stop() {
		return nil, ctx.Err()
	}
	var invalid errInvalid
	switch {
	case err == nil:
		return got, nil
	case errors.As(err, &invalid):
		return nil, &errBroken{reason: "what was read broke a limit", final: true, err: err}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &errBroken{reason: fmt.Sprintf("reading took longer than %s", c.limits.Wall), final: true, err: err}
	}
	// It hung up: it is dead or about to be, and how it ended says why.
	c.kill()
	<-c.ended
	return nil, &errBroken{reason: c.cause(), err: err}
}

// send hands the question and the file's descriptor over.
func (c *process) send(q question, file *os.File) error {
	message, err := frame(q)
	if err != nil {
		return err
	}
	if len(message) > maxQuestion {
		return errors.New("file name too long")
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	sent := 0
	var sending error
	if err := raw.Control(func(fd uintptr) {
		sent, _, sending = c.conn.WriteMsgUnix(message, syscall.UnixRights(int(fd)), nil)
	}); err != nil {
		return err
	}
	if sending != nil {
		return sending
	}
	_, err = c.conn.Write(message[sent:])
	return err
}

// cause says what a child that has ended died of.
func (c *process) cause() string {
	state := c.cmd.ProcessState
	said := c.said.String()
	if state.ExitCode() == exitMemory || strings.Contains(said, "out of memory") || strings.Contains(said, "cannot allocate memory") {
		return fmt.Sprintf("reading took more than %d MiB of memory", c.limits.Memory>>20)
	}
	if state.UserTime()+state.SystemTime() > c.limits.Wall {
		return fmt.Sprintf("reading took longer than %s", c.limits.Wall)
	}
	return "the document broke its reader"
}

// fileOf is the document as an open file of its own.
func fileOf(document Document) (*os.File, error) {
	if conn, ok := document.(syscall.Conn); ok {
		raw, err := conn.SyscallConn()
		if err != nil {
			return nil, err
		}
		copied := -1
		var copying error
		if err := raw.Control(func(fd uintptr) { copied, copying = duplicate(int(fd)) }); err != nil {
			return nil, err
		}
		if copying != nil {
			return nil, os.NewSyscallError("dup", copying)
		}
		return os.NewFile(uintptr(copied), "document"), nil
	}
	file, err := os.CreateTemp("", "document-")
	if err != nil {
		return nil, err
	}
	// It lives as long as it is open.
	err = os.Remove(file.Name())
	if err == nil {
		_, err = io.Copy(file, io.NewSectionReader(document, 0, document.Size()))
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// duplicate returns a second descriptor, which no other child inherits.
func duplicate(fd int) (int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	copied, err := syscall.Dup(fd)
	if err == nil {
		syscall.CloseOnExec(copied)
	}
	return copied, err
}

// beginning keeps the beginning of what a child says: the cause stands there.
type beginning struct {
	mu   sync.Mutex
	text bytes.Buffer
}

const maxSaid = 4 << 10

func (t *beginning) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.Write(p[:min(len(p), maxSaid-t.text.Len())])
	return len(p), nil
}

func (t *beginning) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}
