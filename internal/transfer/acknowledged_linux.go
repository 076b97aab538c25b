package transfer

import (
	"net"

	"golang.org/x/sys/unix"
)

// acknowledged returns how many bytes of the connection the peer's system has
// acknowledged, and whether it has not acknowledged all. ok is false if the system does
// not report it.
func acknowledged(c net.Conn) (bytes int64, more, ok bool) {
	tcp, isTCP := c.(*net.TCPConn)
	if !isTCP {
		return 0, false, false
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return 0, false, false
	}
	var info *unix.TCPInfo
	if raw.Control(func(fd uintptr) { info, err = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO) }) != nil || err != nil {
		return 0, false, false
	}
	return int64(info.Bytes_acked), info.Unacked > 0 || info.Notsent_bytes > 0, true
}
