package storage_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/call"
	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
)

// TestConnectionsAreAcquiredInTurn acquires the only connection of a pool for several calls
// of two tenants: the tenants alternate. Acquisitions that fail do not use up turns.
func TestConnectionsAreAcquiredInTurn(t *testing.T) {
	t.Parallel()
	pools := openPools(t, storagetest.URL(t), storage.Limits{Connections: storage.MinConnections, Calls: storage.Timeouts{Lock: 1 << 40, Statement: 1 << 40}})
	for name, pool := range map[string]*pgxpool.Pool{"faults": pools.Faults, "feed": pools.Feed} { // with and without timeouts
		t.Run(name, func(t *testing.T) { acquireInTurn(t, pools, name, pool) })
	}
}

func acquireInTurn(t *testing.T, pools *storage.Pools, pool string, of *pgxpool.Pool) {
	if n := of.Config().MaxConns; n != 1 {
		t.Fatalf("the pool has %d connections, want 1", n)
	}
	ids := map[string]uuid.UUID{"A": uuid.New(), "B": uuid.New()}
	as := func(name string) context.Context {
		return call.With(t.Context(), &call.Record{TenantID: ids[name]})
	}
	held, err := of.Acquire(as("A"))
	if err != nil {
		t.Fatal(err)
	}
	type acquisition struct {
		name       string
		connection *pgxpool.Conn
	}
	acquired := make(chan acquisition)
	waits := func() int64 { return pools.Stats()[pool].Waits }
	names := []string{"A", "A", "A", "B"}
	for _, name := range names {
		before := waits()
		go func() {
			if connection, err := of.Acquire(as(name)); err == nil {
				acquired <- acquisition{name, connection}
			}
		}()
		for waits() == before {
		}
	}
	for range 3 {
		ended, end := context.WithCancel(as("B"))
		end()
		if err := of.Ping(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("a call that has ended: %v", err)
		}
	}
	var order []string
	for range names {
		held.Release()
		next := <-acquired
		held, order = next.connection, append(order, next.name)
	}
	held.Release()
	if want := []string{"A", "B", "A", "A"}; !slices.Equal(order, want) {
		t.Errorf("connections for %v, want %v", order, want)
	}
	for range 3 {
		if err := of.Ping(as("A")); err != nil {
			t.Error(err)
		}
	}
}
