package storage

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/turns"
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

	turns     map[string]*turns.Queue // by pool name, for callers that wait for a connection
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

// An unused connection stays open for idleTime, and for idleCheck at most after that. Its
// process in PostgreSQL uses several megabytes.
const (
	idleTime  = 10 * time.Second
	idleCheck = 5 * time.Second
)

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
	pools := &Pools{turns: map[string]*turns.Queue{}, stopWatch: func() {}, full: connector.full}
	for _, class := range pools.classes(limits) {
		own := config.Copy()
		own.MaxConns = int32(max(class.min, class.share*total/allShares))
		pools.turns[class.name] = class.timeouts.apply(own)
		if class.lookups {
			PlanLookups(own)
		}
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

// class is a kind of work that has its own pool.
type class struct {
	pool     **pgxpool.Pool
	name     string // in the metrics
	share    int    // of allShares
	min      int    // connections; a migration needs two
	timeouts Timeouts
	lookups  bool // PlanLookups applies
}

// allShares is the sum of the shares of all classes, plus one for the connection on
// which the dispatcher listens.
const allShares = 32

func (p *Pools) classes(limits Limits) []class {
	calls, background, unlimited := limits.Calls, limits.Background, Timeouts{}
	return []class{
		{&p.Health, "health", 1, 1, healthTimeouts, false},
		{&p.Auth, "auth", 2, 1, calls, false},
		{&p.Tokens, "tokens", 1, 1, calls, false},
		{&p.Faults, "faults", 1, 1, calls, false},
		{&p.Submissions, "submissions", 3, 1, calls, true},
		{&p.Transitions, "transitions", 2, 1, calls, true},
		{&p.Company, "company", 2, 1, calls, false},
		{&p.Data, "data", 2, 1, calls, true},
		{&p.Hooks, "hooks", 2, 1, calls, false},
		{&p.HookRequests, "hook_requests", 1, 1, calls, false},
		{&p.Control, "control", 2, 1, calls, false},
		{&p.Long, "long", 2, 2, unlimited, false},
		{&p.Feed, "feed", 1, 1, unlimited, false},
		{&p.Journal, "journal", 1, 1, background, false},
		{&p.Background, "background", 2, 1, background, true},
		{&p.Endings, "endings", 2, 2, background, true}, // one for large reports, one for the others
		{&p.Deliveries, "deliveries", 4, 1, background, false},
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

// PoolStat has the statistics of a pool.
type PoolStat struct {
	*pgxpool.Stat
	Waits  int64         // how often a caller had to wait for a connection
	Waited time.Duration // in all
}

// NewPoolStat returns the statistics of a pool. queue is nil if callers take no turns.
func NewPoolStat(stat *pgxpool.Stat, queue *turns.Queue) PoolStat {
	s := PoolStat{stat, stat.EmptyAcquireCount(), stat.EmptyAcquireWaitTime()}
	if queue != nil {
		waits, waited := queue.Waited()
		s.Waits += waits
		s.Waited += waited
	}
	return s
}

// Stats returns the statistics of each pool by its name.
func (p *Pools) Stats() map[string]PoolStat {
	stats := map[string]PoolStat{}
	for _, class := range p.classes(Limits{}) {
		stats[class.name] = NewPoolStat((*class.pool).Stat(), p.turns[class.name])
	}
	return stats
}

// Close closes all pools.
func (p *Pools) Close() {
	p.stopWatch()
	p.Each(func(pool **pgxpool.Pool) { (*pool).Close() })
}

// apply sets the timeouts for the connections of a pool; 0 means no timeout. It returns the queue
// in which callers wait for the connections.
func (t Timeouts) apply(config *pgxpool.Config) *turns.Queue {
	config.MaxConnIdleTime, config.HealthCheckPeriod = idleTime, idleCheck
	params := config.ConnConfig.RuntimeParams
	params["lock_timeout"] = milliseconds(t.Lock)
	params["statement_timeout"] = milliseconds(t.Statement)
	queue := &turns.Queue{Size: int(config.MaxConns)}
	config.ConnConfig.Tracer = &acquirer{queue, max(t.Lock, t.Statement)}
	return queue
}

// PlanLookups makes PostgreSQL plan each statement of the pool's connections once, with index
// lookups only. PostgreSQL plans a statement for the present size of the tables: on a new
// database it would choose to scan whole tables, and keep this plan when they grow. Planning a
// statement each time would take as long as running it. Compilation (jit) would take longer
// than that; PostgreSQL chooses it because it overestimates the costs of statements after
// large deletions.
func PlanLookups(config *pgxpool.Config) {
	params := config.ConnConfig.RuntimeParams
	for _, plan := range []string{"enable_seqscan", "enable_bitmapscan", "enable_hashjoin", "enable_mergejoin", "jit"} {
		params[plan] = "off"
	}
	params["plan_cache_mode"] = "force_generic_plan"
}

func milliseconds(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }
