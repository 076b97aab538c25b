package transfer

import (
	"net"

	"golang.org/x/sys/unix"
)

// acknowledged returns how many bytes of the connection the peer's system has
// acknowledged, and whether it has not acknowledged all. ok is false if the system does
// not report it.
func acknowledged(c net.Conn) (bytes int64, more, ok bool) {
	info := tcpInfo(c)
	if info == nil {
		return 0, false, false
	}
	return int64(info.Bytes_acked), info.Unacked > 0 || info.Notsent_bytes > 0, true
}

// established reports whether neither side has closed the connection. It returns true if the system
// does not report it. A client that has closed its side cannot complete a TLS handshake.
func established(c net.Conn) bool {
	const tcpEstablished = 1 // TCP_ESTABLISHED of Linux
	info := tcpInfo(c)
	return info == nil || info.State == tcpEstablished
}

// tcpInfo returns the TCP_INFO of a connection; nil if it is not available.
func tcpInfo(c net.Conn) *unix.TCPInfo {
	tcp, isTCP := c.(*net.TCPConn)
	if !isTCP {
		return nil
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil
	}
	var info *unix.TCPInfo
	if raw.Control(func(fd uintptr) { info, err = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO) }) != nil || err != nil {
		return nil
	}
	return info
}
