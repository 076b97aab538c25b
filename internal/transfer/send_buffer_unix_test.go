//go:build linux || darwin

package transfer_test

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"

	"understudy.example/internal/transfer"
)

// TestSendBuffersAreSmall checks that the system cannot keep megabytes of responses for a
// client that reads slowly.
func TestSendBuffersAreSmall(t *testing.T) {
	t.Parallel()
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	client, err := net.Dial("tcp", socket.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var accepted *net.TCPConn
	listener := transfer.Listen(recordingListener{socket, &accepted}, transfer.Limits{})
	if _, err := listener.Accept(); err != nil {
		t.Fatal(err)
	}
	defer accepted.Close()
	raw, err := accepted.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var size int
	if err := raw.Control(func(fd uintptr) { size, err = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_SNDBUF) }); err != nil {
		t.Fatal(err)
	}
	if size > 128<<10 {
		t.Errorf("the buffer has %d bytes, want at most 128 KiB", size)
	}
}

// recordingListener records the connection that it accepts.
type recordingListener struct {
	net.Listener
	accepted **net.TCPConn
}

func (l recordingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		*l.accepted = c.(*net.TCPConn)
	}
	return c, err
}
