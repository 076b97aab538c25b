package storage

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// errTLSRefused is the text of the error of an attempt with TLS if the database does not
// support it. pgx then makes another attempt, whose error matters.
const errTLSRefused = "server refused TLS connection"

const (
	startupWait  = 30 * time.Second // for a database that is starting up or recovering
	startupPause = 100 * time.Millisecond

	cannotConnectNow = "57P03"
)

// CheckReachable connects to the database. It waits up to 30 s while the database responds that it is
// starting up, for example because it recovers from a crash. The error names its hosts and the reason.
func CheckReachable(ctx context.Context, db *pgxpool.Pool) error {
	err := db.Ping(ctx)
	for begun := time.Now(); isStartingUp(err) && time.Since(begun) < startupWait; err = db.Ping(ctx) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(startupPause):
		}
	}
	if err == nil {
		return nil
	}
	var hosts []string
	for _, host := range hostsOf(db.Config().ConnConfig) {
		if name := hostName(host); !slices.Contains(hosts, name) {
			hosts = append(hosts, name)
		}
	}
	reasons := connectReasons(err)
	if others := slices.DeleteFunc(slices.Clone(reasons), func(reason string) bool { return reason == errTLSRefused }); len(others) > 0 {
		reasons = others
	}
	slices.Sort(reasons)
	failure := "cannot be reached"
	if isA[*pgconn.PgError](err) {
		failure = "refuses the connection"
	}
	return fmt.Errorf("the database at %s %s: %s: start PostgreSQL, or correct DATABASE_URL",
		strings.Join(hosts, ", "), failure, strings.Join(slices.Compact(reasons), "; "))
}

// isStartingUp reports whether the database refuses connections only for now.
func isStartingUp(err error) bool {
	refusal := new(pgconn.PgError)
	return errors.As(err, &refusal) && refusal.Code == cannotConnectNow
}

// connectReasons returns the reasons of all attempts to connect, without the addresses.
func connectReasons(err error) []string {
	switch e := err.(type) {
	case interface{ Unwrap() []error }:
		var reasons []string
		for _, attempt := range e.Unwrap() {
			reasons = append(reasons, connectReasons(attempt)...)
		}
		return reasons
	case *pgconn.PgError:
		return []string{e.Message}
	case *net.DNSError:
		return []string{"the host name cannot be resolved: " + e.Err}
	case net.Error:
		if e.Timeout() {
			return []string{"no response in time"}
		}
	}
	if cause := errors.Unwrap(err); cause != nil {
		return connectReasons(cause)
	}
	return []string{err.Error()}
}
