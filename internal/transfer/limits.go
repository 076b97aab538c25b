// Package transfer closes the connections of clients that send a body or read a
// response too slowly or not at all, and connections beyond the limit of a client
// address or of a listener. It also limits the CPU time of TLS handshakes and the log lines
// about connections. It does not know what is transferred.
package transfer

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"time"
)

// Limits apply to every connection of a listener. Only time during which the server
// waits for the client counts: not its own work, and not a stream of events without
// events. The zero value has the default stall timeout and no other limit.
type Limits struct {
	Stall  time.Duration // how long a client may make no progress; 0 = 10 s
	Rate   int64         // the minimum in bytes per second, on average over the window; 0 = none
	Window time.Duration // 0 = 30 s

	Total      int            // maximum number of connections of the listener; 0 = unlimited
	PerAddress int            // maximum number of connections of one client address; 0 = unlimited
	Exempt     []netip.Prefix // addresses with any number of connections, such as proxies

	Handshakes *Handshakes // turns of TLS handshakes; nil = the listener has no TLS
}

// withDefaults returns the limits with the default durations.
func (l Limits) withDefaults() Limits {
	l.Stall = cmp.Or(l.Stall, 10*time.Second)
	l.Window = cmp.Or(l.Window, 30*time.Second)
	return l
}

// stalled returns why a transfer without progress ended.
func (l *Limits) stalled(what string) string {
	return fmt.Sprintf("the client %s nothing for %s", what, l.Stall)
}

// tooSlow returns why a transfer below the minimum rate ended.
func (l *Limits) tooSlow(what string) string {
	return fmt.Sprintf("the client %s fewer than %d bytes per second on average over %s", what, l.Rate, l.Window)
}

// minimum returns how many bytes must be transferred during a window of the given
// length.
func (l *Limits) minimum(window time.Duration) int64 {
	return int64(float64(l.Rate) * window.Seconds())
}

// Ended returns the reason why a limit has ended the transfer of the response, or "" if
// none has. ctx is the context of a request on a Listener's connection.
func Ended(ctx context.Context) string {
	if c, ok := ctx.Value(connKey{}).(*conn); ok {
		return c.whyEnded()
	}
	return ""
}
