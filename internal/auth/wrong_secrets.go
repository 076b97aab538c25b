package auth

import (
	"crypto/sha256"
	"net"
	"slices"
	"sync"
	"time"
)

const (
	maxWrongSecrets    = 10 // for one client id from one address within wrongSecretPeriod
	wrongSecretPeriod  = time.Minute
	maxWrongSecretKeys = 10_000
)

// wrongSecrets counts the wrong secrets for each client id from each address, so that
// secrets cannot be guessed. Unknown client ids are counted like known ones. Each
// server counts for itself.
type wrongSecrets struct {
	mu    sync.Mutex
	times map[[sha256.Size]byte][]time.Time // of the counted ones, oldest first, by a hash of client id and address
}

// count counts a wrong secret and returns zero. If maxWrongSecrets have been counted
// already, it returns the time that the caller must wait instead.
func (w *wrongSecrets) count(clientID, remoteAddress string, now time.Time) time.Duration {
	host, _, err := net.SplitHostPort(remoteAddress)
	if err != nil {
		host = remoteAddress
	}
	key := sha256.Sum256([]byte(host + " " + clientID))
	w.mu.Lock()
	defer w.mu.Unlock()
	recent := slices.DeleteFunc(w.times[key], func(at time.Time) bool { return now.Sub(at) >= wrongSecretPeriod })
	if len(recent) >= maxWrongSecrets {
		return recent[0].Add(wrongSecretPeriod).Sub(now)
	}
	if w.times == nil || len(w.times) >= maxWrongSecretKeys {
		w.times = map[[sha256.Size]byte][]time.Time{}
	}
	w.times[key] = append(recent, now)
	return 0
}
