package journal

import (
	"context"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/feed"
	"understudy.example/internal/storage"
)

// finder finds where a tenant's clients broke a rule.
type finder interface {
	find(ctx context.Context, db storage.DB, tenantID uuid.UUID) (evidence, error)
	// has reports whether the call broke the rule.
	has(ctx context.Context, db storage.DB, tenantID uuid.UUID, call feed.Cursor) (bool, error)
}

// evidence is the number of calls that broke a rule, and the ids of the first ones.
type evidence struct {
	Count int
	IDs   []string
}

// maxEvidence is the maximum number of ids that a finding shows.
const maxEvidence = 20

// inCalls is the finder of a rule about calls. It returns a query that selects id, xid
// and seq of the calls that break the rule, and its arguments.
type inCalls func(ctx context.Context, db storage.DB, tenantID uuid.UUID) (string, pgx.StrictNamedArgs, error)

// callQuery is the finder of a rule whose query depends on the tenant's calls only.
type callQuery string

func (q callQuery) inCalls() inCalls {
	return func(_ context.Context, _ storage.DB, tenantID uuid.UUID) (string, pgx.StrictNamedArgs, error) {
		return string(q), pgx.StrictNamedArgs{"tenant_id": tenantID}, nil
	}
}

func (q callQuery) find(ctx context.Context, db storage.DB, tenantID uuid.UUID) (evidence, error) {
	return q.inCalls().find(ctx, db, tenantID)
}

func (q callQuery) has(ctx context.Context, db storage.DB, tenantID uuid.UUID, call feed.Cursor) (bool, error) {
	return q.inCalls().has(ctx, db, tenantID, call)
}

func (f inCalls) find(ctx context.Context, db storage.DB, tenantID uuid.UUID) (evidence, error) {
	query, args, err := f(ctx, db, tenantID)
	if err != nil {
		return evidence{}, err
	}
	args["max"] = maxEvidence
	return storage.One[evidence](ctx, db, `
		with broken as (`+query+`)
		select
			(select count(*) from broken) as count,
			array(select id::text from broken order by seq limit @max) as ids`,
		args)
}

func (f inCalls) has(ctx context.Context, db storage.DB, tenantID uuid.UUID, call feed.Cursor) (broke bool, err error) {
	query, args, err := f(ctx, db, tenantID)
	if err != nil {
		return false, err
	}
	args["xid"], args["seq"] = strconv.FormatUint(call.XID, 10), int64(call.Seq)
	return broke, db.QueryRow(ctx, `
		select exists(
			select
			from (`+query+`) broken
			where xid = @xid::text::xid8
			and seq = @seq
		)`, args).Scan(&broke)
}

// elsewhere is the finder of a rule that is not about calls.
type elsewhere func(ctx context.Context, db storage.DB, tenantID uuid.UUID) (evidence, error)

func (f elsewhere) find(ctx context.Context, db storage.DB, tenantID uuid.UUID) (evidence, error) {
	return f(ctx, db, tenantID)
}

func (elsewhere) has(context.Context, storage.DB, uuid.UUID, feed.Cursor) (bool, error) {
	return false, nil
}
