package storage_test

import (
	"encoding/binary"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
)

// TestUnreachableDatabaseIsExplained checks the sentences about databases that cannot be
// reached: each host and each reason once, and no reason that does not matter.
func TestUnreachableDatabaseIsExplained(t *testing.T) {
	t.Parallel()
	// A server that refuses TLS and then closes the connection.
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	go func() {
		for {
			conn, err := silent.Accept()
			if err != nil {
				return
			}
			request := make([]byte, 1024)
			if n, err := conn.Read(request); err == nil && n == 8 { // for TLS
				conn.Write([]byte("N"))
			}
			conn.Close()
		}
	}()
	database := storagetest.URL(t)
	missing := database[:strings.LastIndex(database, "/")+1] + "missing"
	if _, query, found := strings.Cut(database, "?"); found {
		missing += "?" + query
	}
	for url, want := range map[string]string{
		"postgres://127.0.0.1:1/x":                    "the database at 127.0.0.1:1 cannot be reached: connection refused: start PostgreSQL, or correct DATABASE_URL",
		"postgres://127.0.0.1:1,127.0.0.1:2/x":        "the database at 127.0.0.1:1, 127.0.0.1:2 cannot be reached: connection refused: start PostgreSQL, or correct DATABASE_URL",
		"postgres://" + silent.Addr().String() + "/x": "the database at " + silent.Addr().String() + " cannot be reached: unexpected EOF: start PostgreSQL, or correct DATABASE_URL",
		missing: `database "missing" does not exist: start PostgreSQL, or correct DATABASE_URL`,
	} {
		db, err := storage.Open(t.Context(), url, "sandbox")
		if err != nil {
			t.Fatal(err)
		}
		err = storage.CheckReachable(t.Context(), db)
		db.Close()
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", url, err, want)
		}
	}
	if err := storage.CheckReachable(t.Context(), storagetest.Open(t, database)); err != nil {
		t.Errorf("a database that can be reached: %v", err)
	}
}

// TestStartWaitsForRecovery connects to a server that responds twice that it is starting up, and then
// closes the connection.
func TestStartWaitsForRecovery(t *testing.T) {
	t.Parallel()
	recovering, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { recovering.Close() })
	var connections atomic.Int64
	go func() {
		for {
			conn, err := recovering.Accept()
			if err != nil {
				return
			}
			conn.Read(make([]byte, 1024))
			if connections.Add(1) < 3 {
				const refusal = "SFATAL\x00C57P03\x00Mthe database system is starting up\x00\x00"
				conn.Write(binary.BigEndian.AppendUint32([]byte("E"), uint32(len(refusal)+4)))
				conn.Write([]byte(refusal))
			}
			conn.Close()
		}
	}()
	db, err := storage.Open(t.Context(), "postgres://"+recovering.Addr().String()+"/x?sslmode=disable", "sandbox")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := storage.CheckReachable(t.Context(), db); err == nil || strings.Contains(err.Error(), "starting up") || connections.Load() < 3 {
		t.Errorf("%v after %d connections, want the error of the third one or a later one", err, connections.Load())
	}
}
