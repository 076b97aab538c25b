package storage

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/call"
	"understudy.example/internal/turns"
)

// acquirer is the tracer of a pool. It makes tenants take turns at getting connections. The pool
// itself serves callers in the order of arrival, so that a tenant with hundreds of calls would
// delay all others. acquirer also limits how long a caller waits. A pool has no settings for
// either, but before it acquires a connection, it calls its tracer, and then uses the context
// that the tracer returned.
type acquirer struct {
	turns   *turns.Queue
	timeout time.Duration // 0 = none
}

// acquisition is the value of acquisitionKey in the context of an acquisition.
type acquisition struct {
	cancel context.CancelFunc
	turn   bool // a turn was taken
}

type acquisitionKey struct{}

// TraceAcquireStart implements pgxpool.AcquireTracer. If the wait has timed out, the returned
// context has ended, and the acquisition fails.
func (a *acquirer) TraceAcquireStart(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.Context {
	tenantID := call.TenantID(ctx)
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(a.timeout, math.MaxInt64))
	taken := a.turns.Take(ctx, tenantID) == nil
	return context.WithValue(ctx, acquisitionKey{}, acquisition{cancel, taken})
}

// TraceAcquireEnd implements pgxpool.AcquireTracer.
func (a *acquirer) TraceAcquireEnd(ctx context.Context, _ *pgxpool.Pool, data pgxpool.TraceAcquireEndData) {
	acquired := ctx.Value(acquisitionKey{}).(acquisition)
	acquired.cancel()
	if data.Err != nil && acquired.turn {
		a.turns.Pass()
	}
}

// TraceRelease implements pgxpool.ReleaseTracer.
func (a *acquirer) TraceRelease(*pgxpool.Pool, pgxpool.TraceReleaseData) { a.turns.Pass() }

// TraceQueryStart implements pgx.QueryTracer, as every tracer of pgx must.
func (*acquirer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (*acquirer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
