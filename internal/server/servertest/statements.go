package servertest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/call"
)

// Statements records the SQL statements that calls run, without those of the background
// work and of the journal's writer, for which no call waits.
type Statements struct {
	Background bool // record those of the background work too

	mu  sync.Mutex
	run []Statement
}

// Statement is a SQL statement with its arguments.
type Statement struct {
	SQL  string
	Args []any
}

// Record is an option that records the server's statements.
func (s *Statements) Record(t testing.TB) func(*Options) {
	return func(o *Options) {
		o.DB.Each(func(pool **pgxpool.Pool) {
			if *pool == o.DB.Journal {
				return
			}
			config := (*pool).Config()
			config.ConnConfig.Tracer = s
			(*pool).Close()
			var err error
			if *pool, err = pgxpool.NewWithConfig(context.Background(), config); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TraceQueryStart implements pgx.QueryTracer.
func (s *Statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	record, again := call.From(ctx), call.From(ctx)
	if s.Background || record == again { // the context has a record, because From has not created a new one
		s.mu.Lock()
		defer s.mu.Unlock()
		arguments := slices.Clone(data.Args)
		for i, argument := range arguments {
			if named, ok := argument.(pgx.StrictNamedArgs); ok {
				arguments[i] = maps.Clone(named) // the caller can use it again
			}
		}
		s.run = append(s.run, Statement{data.SQL, arguments})
	}
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (*Statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// Take returns the statements since the last call of Take, without their arguments.
func (s *Statements) Take() []string {
	var taken []string
	for _, statement := range s.TakeWithArguments() {
		taken = append(taken, statement.SQL)
	}
	return taken
}

// TakeWithArguments returns the statements since the last call of Take.
func (s *Statements) TakeWithArguments() []Statement {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.run
	s.run = nil
	return taken
}

// Cost is what the execution of statements costs PostgreSQL.
type Cost struct {
	Pages   int      // of tables and indexes, read or found in memory
	Ms      float64  // depends on the machine
	Scanned []string // tables that are read by sequential scans
}

// plan is a part of the plan of a statement.
type plan struct {
	Hit   int    `json:"Shared Hit Blocks"`
	Read  int    `json:"Shared Read Blocks"`
	Node  string `json:"Node Type"`
	Table string `json:"Relation Name"`
	Plans []plan
}

// scanned returns the tables that sequential scans read.
func (p plan) scanned() (tables []string) {
	if p.Node == "Seq Scan" {
		tables = []string{p.Table}
	}
	for _, part := range p.Plans {
		tables = append(tables, part.scanned()...)
	}
	return tables
}

// Explain runs the statement again, discards its changes, and returns the cost of its
// execution. Statements that have no plan, such as begin, cost nothing. A statement that
// cannot run again, because it would insert the same keys, is only planned: its Pages are 0.
func (s *Server) Explain(statement Statement) (cost Cost) {
	s.T.Helper()
	first, _, _ := strings.Cut(strings.TrimSpace(statement.SQL), " ")
	if first, _, _ = strings.Cut(first, "\n"); !strings.Contains(" select with insert update delete ", " "+first+" ") {
		return Cost{}
	}
	cost, err := s.explain("analyze, buffers, ", statement)
	if duplicate := new(pgconn.PgError); errors.As(err, &duplicate) && duplicate.Code == "23505" {
		cost, err = s.explain("", statement)
	}
	if err != nil {
		s.T.Fatalf("%v: %s", err, statement.SQL)
	}
	return cost
}

func (s *Server) explain(options string, statement Statement) (Cost, error) {
	ctx := context.Background()
	tx, err := s.DB.Begin(ctx)
	if err != nil {
		return Cost{}, err
	}
	defer tx.Rollback(ctx)
	var plans []struct {
		Plan plan
		Ms   float64 `json:"Execution Time"`
	}
	if err := tx.QueryRow(ctx, "explain ("+options+"format json) "+statement.SQL, statement.Args...).Scan(&plans); err != nil {
		return Cost{}, err
	}
	return Cost{plans[0].Plan.Hit + plans[0].Plan.Read, plans[0].Ms, plans[0].Plan.scanned()}, nil
}
