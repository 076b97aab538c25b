package servertest

import (
	"context"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/call"
)

// Statements records the SQL statements that calls run, without those of the background
// work and of the journal's writer, for which no call waits.
type Statements struct {
	mu  sync.Mutex
	run []string
}

// Record is an option that records the server's statements.
func (s *Statements) Record(t testing.TB) func(*Options) {
	return func(o *Options) {
		o.DB.Each(func(pool **pgxpool.Pool) {
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
	if record == again { // the context has a record, because From has not created a new one
		s.mu.Lock()
		defer s.mu.Unlock()
		s.run = append(s.run, data.SQL)
	}
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (*Statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// Take returns the statements since the last call of Take.
func (s *Statements) Take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.run
	s.run = nil
	return taken
}
