package storage

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Pools are the connection pools of a server. Each serves one kind of work, so that
// work that waits, for example for a lock on a table, does not use up the connections
// of other work. A pool opens connections when they are needed and closes idle ones.
type Pools struct {
	Health       *pgxpool.Pool // readiness
	Auth         *pgxpool.Pool // clients, API keys, and which tenants have faults
	Tokens       *pgxpool.Pool // refresh tokens
	Faults       *pgxpool.Pool // faults of calls and deliveries
	Submissions  *pgxpool.Pool // calls of universal submit that need no other table
	Transitions  *pgxpool.Pool // calls of universal submit that move a submission to another state
	Company      *pgxpool.Pool
	Data         *pgxpool.Pool
	Hooks        *pgxpool.Pool // subscriptions
	HookRequests *pgxpool.Pool // requests of subscriptions
	Control      *pgxpool.Pool // control API
	Long         *pgxpool.Pool // migration, deletion, reset, moves of a clock: limited only by their callers
	Feed         *pgxpool.Pool // await and stream: limited only by their callers
	Journal      *pgxpool.Pool // writing calls
	Background   *pgxpool.Pool // advancing and claiming submissions, trimming
	Endings      *pgxpool.Pool // recording how submissions end
	Deliveries   *pgxpool.Pool // the dispatcher listens on one additional connection

	stopWatch context.CancelFunc
	full      *atomic.Bool // PostgreSQL had no disk space
}

// Limits limit the use of the database by one server.
type Limits struct {
	Connections int // of all pools together; pool_max_conns in the URL takes precedence

	Calls, Background Timeouts
}

// Timeouts limit each statement. A statement that exceeds them fails with an error for
// which Unavailable is true.
type Timeouts struct {
	Lock      time.Duration // waiting for a lock
	Statement time.Duration // a whole statement, and waiting for a connection of the pool
}

// healthTimeouts apply to the check of readiness.
var healthTimeouts = Timeouts{Lock: time.Second, Statement: time.Second}

// MinConnections is the lowest number of connections with which a server works.
const MinConnections = 21

// idleTime is how long an unused connection stays open.
const idleTime = time.Minute

// OpenPools returns the pools for the database at url; see Open. Close them when they
// are no longer used.
func OpenPools(ctx context.Context, url, environment string, limits Limits) (*Pools, error) {
	config, connector, err := parseConfig(url, environment)
	if err != nil {
		return nil, err
	}
	total := limits.Connections
	if setInURL(url) {
		total = int(config.MaxConns)
	}
	if total < MinConnections {
		slog.WarnContext(ctx, "too few database connections are configured", "configured", total, "used", MinConnections)
		total = MinConnections
	}
	pools := &Pools{stopWatch: func() {}, full: connector.full}
	for _, class := range pools.classes(limits) {
		own := config.Copy()
		own.MaxConns = int32(max(class.min, class.share*total/allShares))
		class.timeouts.apply(own)
		if *class.pool, err = pgxpool.NewWithConfig(ctx, own); err != nil {
			pools.Close()
			return nil, fmt.Errorf("open connection pool: %w", err)
		}
	}
	if connector.hosts > 1 && connector.primary {
		ctx, pools.stopWatch = context.WithCancel(context.WithoutCancel(ctx))
		go connector.watch(ctx, config)
	}
	return pools, nil
}

// class is a kind of work that has a pool of its own.
type class struct {
	pool     **pgxpool.Pool
	name     string // in the metrics
	share    int    // of allShares
	min      int    // connections; a migration needs two
	timeouts Timeouts
}

// allShares is the sum of the shares of all classes, plus one for the connection on
// which the dispatcher listens.
const allShares = 32

func (p *Pools) classes(limits Limits) []class {
	calls, background, unlimited := limits.Calls, limits.Background, Timeouts{}
	return []class{
		{&p.Health, "health", 1, 1, healthTimeouts},
		{&p.Auth, "auth", 2, 1, calls},
		{&p.Tokens, "tokens", 1, 1, calls},
		{&p.Faults, "faults", 1, 1, calls},
		{&p.Submissions, "submissions", 3, 1, calls},
		{&p.Transitions, "transitions", 2, 1, calls},
		{&p.Company, "company", 2, 1, calls},
		{&p.Data, "data", 2, 1, calls},
		{&p.Hooks, "hooks", 2, 1, calls},
		{&p.HookRequests, "hook_requests", 1, 1, calls},
		{&p.Control, "control", 2, 1, calls},
		{&p.Long, "long", 2, 2, unlimited},
		{&p.Feed, "feed", 1, 1, unlimited},
		{&p.Journal, "journal", 1, 1, background},
		{&p.Background, "background", 2, 1, background},
		{&p.Endings, "endings", 2, 2, background}, // one for large reports, one for the others
		{&p.Deliveries, "deliveries", 4, 1, background},
	}
}

// Each calls do for every pool, which do can replace.
func (p *Pools) Each(do func(pool **pgxpool.Pool)) {
	for _, class := range p.classes(Limits{}) {
		if *class.pool != nil {
			do(class.pool)
		}
	}
}

// Stats returns the statistics of each pool by its name.
func (p *Pools) Stats() map[string]*pgxpool.Stat {
	stats := map[string]*pgxpool.Stat{}
	for _, class := range p.classes(Limits{}) {
		stats[class.name] = (*class.pool).Stat()
	}
	return stats
}

// Close closes all pools.
func (p *Pools) Close() {
	p.stopWatch()
	p.Each(func(pool **pgxpool.Pool) { (*pool).Close() })
}

// apply sets the timeouts, of which 0 means none, for the connections of a pool.
func (t Timeouts) apply(config *pgxpool.Config) {
	config.MaxConnIdleTime = idleTime
	params := config.ConnConfig.RuntimeParams
	params["lock_timeout"] = milliseconds(t.Lock)
	params["statement_timeout"] = milliseconds(t.Statement)
	if t.Lock > 0 {
		config.ConnConfig.Tracer = acquireTimeout(max(t.Lock, t.Statement))
	}
}

func milliseconds(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }

// acquireTimeout limits the time for which a caller waits for a connection of a pool.
// The pool has no setting for it, but acquires within the context that its tracer
// returns.
type acquireTimeout time.Duration

type cancelKey struct{}

// TraceAcquireStart implements pgxpool.AcquireTracer.
func (t acquireTimeout) TraceAcquireStart(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.Context {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(t))
	return context.WithValue(ctx, cancelKey{}, cancel)
}

// TraceAcquireEnd implements pgxpool.AcquireTracer.
func (acquireTimeout) TraceAcquireEnd(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireEndData) {
	ctx.Value(cancelKey{}).(context.CancelFunc)()
}

// TraceQueryStart implements pgx.QueryTracer, as every tracer of pgx must.
func (acquireTimeout) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (acquireTimeout) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
