package auth

import (
	"crypto/sha256"
	"net"
	"net/netip"
	"sync"
	"time"
)

const (
	maxWrongSecrets    = 10 // for one client id from one address within wrongSecretPeriod
	wrongSecretPeriod  = time.Minute
	maxWrongSecretKeys = 10_000 // of client ids with their addresses
)

// wrongSecrets counts the wrong secrets for each client id from each address or /64 network of IPv6, so that
// a client that repeats a wrong secret is told to slow down. The right secret always succeeds, so this limit does
// not prevent guessing; only long secrets do. Unknown client ids are counted like known ones. Each server counts for
// itself.
type wrongSecrets struct {
	mu        sync.Mutex
	times     map[wrongSecretKey][]time.Time // of the counted ones, oldest first
	trimmedAt time.Time
}

// wrongSecretKey is a hash of a client id and an address, or of an address alone. The
// zero value stands for all addresses.
type wrongSecretKey [sha256.Size]byte

// count counts a wrong secret and returns zero. If maxWrongSecrets have been counted
// already, it returns the time that the caller must wait instead. While there are
// maxWrongSecretKeys keys, new client ids are counted together for each address, and
// those from too many addresses all together: so calls with other client ids never reset
// a count.
func (w *wrongSecrets) count(clientID, remoteAddress string, now time.Time) time.Duration {
	host := networkOf(remoteAddress)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.times == nil {
		w.times = map[wrongSecretKey][]time.Time{}
	}
	if len(w.times) >= maxWrongSecretKeys && now.Sub(w.trimmedAt) >= time.Second {
		w.trim(now)
	}
	key := wrongSecretKey(sha256.Sum256([]byte(host + " " + clientID)))
	if !w.hasRoom(key, maxWrongSecretKeys) {
		key = sha256.Sum256([]byte(host))
	}
	if !w.hasRoom(key, 2*maxWrongSecretKeys) {
		key = wrongSecretKey{}
	}
	recent := recentWrongSecrets(w.times[key], now)
	if len(recent) >= maxWrongSecrets {
		return recent[0].Add(wrongSecretPeriod).Sub(now)
	}
	w.times[key] = append(recent, now)
	return 0
}

// networkOf returns the address without its port, or its /64 network if it is an IPv6 address: a
// single client usually has all addresses of such a network.
func networkOf(remoteAddress string) string {
	host, _, err := net.SplitHostPort(remoteAddress)
	if err != nil {
		host = remoteAddress
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if address = address.Unmap(); address.Is6() {
		network, _ := address.WithZone("").Prefix(64) // fails only for more bits than an address has
		return network.String()
	}
	return address.String()
}

// hasRoom reports whether the key is counted already or there are fewer than limit keys.
func (w *wrongSecrets) hasRoom(key wrongSecretKey, limit int) bool {
	return len(w.times) < limit || w.times[key] != nil
}

// trim deletes the keys without a recent wrong secret.
func (w *wrongSecrets) trim(now time.Time) {
	w.trimmedAt = now
	for key, times := range w.times {
		if now.Sub(times[len(times)-1]) >= wrongSecretPeriod {
			delete(w.times, key)
		}
	}
}

// recentWrongSecrets returns those of the times that count at the time now.
func recentWrongSecrets(times []time.Time, now time.Time) []time.Time {
	old := 0
	for old < len(times) && now.Sub(times[old]) >= wrongSecretPeriod {
		old++
	}
	return times[old:]
}
