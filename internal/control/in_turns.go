package control

import (
	"context"
	"sync"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"understudy.example/internal/storage"
	"understudy.example/internal/turns"
)

// inTurns is a DB for long work of a tenant on a pool. Each Exec, Query and transaction waits for a
// turn of the tenant, and ends the turn when it is done. So this work never uses more connections than
// the queue allows turns at a time. QueryRow takes no turn.
type inTurns struct {
	storage.DB
	turns    *turns.Queue
	tenantID uuid.UUID
}

// take waits for a turn. The returned function ends the turn, and can be called again.
func (db inTurns) take(ctx context.Context) (end func(), err error) {
	if err := db.turns.Take(ctx, db.tenantID); err != nil {
		return nil, err
	}
	return sync.OnceFunc(db.turns.Pass), nil
}

// Exec implements DB.
func (db inTurns) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	end, err := db.take(ctx)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	defer end()
	return db.DB.Exec(ctx, sql, args...)
}

// Query implements DB.
func (db inTurns) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	end, err := db.take(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := db.DB.Query(ctx, sql, args...)
	if err != nil {
		end()
		return rows, err
	}
	return rowsInTurn{rows, end}, nil
}

// Begin implements DB.
func (db inTurns) Begin(ctx context.Context) (pgx.Tx, error) {
	end, err := db.take(ctx)
	if err != nil {
		return nil, err
	}
	tx, err := db.DB.Begin(ctx)
	if err != nil {
		end()
		return nil, err
	}
	return txInTurn{tx, end}, nil
}

// rowsInTurn ends a turn when the rows have been read.
type rowsInTurn struct {
	pgx.Rows
	end func()
}

// Close implements pgx.Rows. Callers always close rows.
func (r rowsInTurn) Close() {
	r.Rows.Close()
	r.end()
}

// txInTurn ends a turn when the transaction ends.
type txInTurn struct {
	pgx.Tx
	end func()
}

// Commit implements pgx.Tx.
func (tx txInTurn) Commit(ctx context.Context) error {
	defer tx.end()
	return tx.Tx.Commit(ctx)
}

// Rollback implements pgx.Tx.
func (tx txInTurn) Rollback(ctx context.Context) error {
	defer tx.end()
	return tx.Tx.Rollback(ctx)
}
