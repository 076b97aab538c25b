package storage

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// diskFull is the code of the error of a statement for which PostgreSQL has no disk space.
const diskFull = "53100"

// noteFull returns a handler that sets full when a statement fails because PostgreSQL
// has no disk space. next decides whether the connection is closed.
func noteFull(full *atomic.Bool, next pgconn.PgErrorHandler) pgconn.PgErrorHandler {
	return func(conn *pgconn.PgConn, err *pgconn.PgError) bool {
		if err.Code == diskFull {
			full.Store(true)
		}
		return next(conn, err)
	}
}

// IsFull reports whether a statement has failed because PostgreSQL has no disk space,
// and CheckSpace has not returned nil since.
func (p *Pools) IsFull() bool { return p.full.Load() }

// errRollback makes CheckSpace undo what it has written.
var errRollback = errors.New("roll back")

// CheckSpace writes about half a megabyte, and rolls it back. It returns an error only
// if PostgreSQL has no disk space or is unavailable.
func (p *Pools) CheckSpace(ctx context.Context) error {
	err := InTx(ctx, p.Health, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "create table space_check as select md5(n::text) from generate_series(1, 8192) n"); err != nil {
			return fmt.Errorf("check disk space: %w", err)
		}
		return errRollback
	})
	if code := errorCode(err); code == diskFull || code == "" && !errors.Is(err, errRollback) {
		return err
	}
	p.full.Store(false) // another error of PostgreSQL, such as a missing permission, says nothing about the space
	return nil
}
