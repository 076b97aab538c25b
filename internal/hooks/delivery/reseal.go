package delivery

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// resealBatch is how many rows are sealed again in one transaction.
const resealBatch = 500

// sealedRow is a row with sealed values. They are bound to the subscription, whose id
// differs from the row's if the row is a delivery.
type sealedRow struct {
	ID, HookID     uuid.UUID
	Header, Secret []byte
}

// Reseal seals all values again that are not sealed with the newest key, in batches. It
// returns how many rows it has changed.
func (s *Seal) Reseal(ctx context.Context, db storage.DB) (changed int, err error) {
	for _, table := range []resealedTable{resealedHooks, resealedDeliveries} {
		for after := (uuid.UUID{}); ; {
			var batch []sealedRow
			n := 0
			err := storage.InTx(ctx, db, func(tx pgx.Tx) (err error) {
				batch, n, err = s.resealBatch(ctx, tx, table, after)
				return err
			})
			if err != nil {
				return changed, fmt.Errorf("seal again: %w", err)
			}
			if changed += n; len(batch) < resealBatch {
				break
			}
			after = batch[len(batch)-1].ID
		}
	}
	return changed, nil
}

// resealedTable are the statements that find and change the sealed rows of a table.
type resealedTable struct{ find, change string }

var (
	resealedHooks = resealedTable{`
		select id, id as hook_id, header, secret
		from hooks
		where id > @after
		and (header is not null or secret is not null)
		order by id
		limit @limit`, `
		update hooks
		set header = @header, secret = @secret
		where id = @id
		and header is not distinct from @old_header
		and secret is not distinct from @old_secret`}
	resealedDeliveries = resealedTable{`
		select id, hook_id, collected_header as header, collected_secret as secret
		from deliveries
		where id > @after
		and (collected_header is not null or collected_secret is not null)
		order by id
		limit @limit`, `
		update deliveries
		set collected_header = @header, collected_secret = @secret
		where id = @id
		and collected_header is not distinct from @old_header
		and collected_secret is not distinct from @old_secret`}
)

// resealBatch seals the values of a batch of rows again. Values that no key opens stay as
// they are.
func (s *Seal) resealBatch(ctx context.Context, tx pgx.Tx, table resealedTable, after uuid.UUID) (rows []sealedRow, changed int, err error) {
	sealer, err := s.Begin(ctx, tx)
	if err != nil {
		return nil, 0, err
	}
	rows, err = storage.All[sealedRow](ctx, tx, table.find, pgx.StrictNamedArgs{"after": after, "limit": resealBatch})
	if err != nil {
		return nil, 0, err
	}
	for _, row := range rows {
		header, oldHeader, badHeader := s.resealed(sealer, row.Header, row.HookID, HeaderColumn)
		secret, oldSecret, badSecret := s.resealed(sealer, row.Secret, row.HookID, SecretColumn)
		if errors.Join(badHeader, badSecret) != nil || !oldHeader && !oldSecret {
			continue
		}
		updated, err := tx.Exec(ctx, table.change, pgx.StrictNamedArgs{
			"id": row.ID, "header": header, "secret": secret, "old_header": row.Header, "old_secret": row.Secret,
		})
		if err != nil {
			return nil, 0, err
		}
		changed += int(updated.RowsAffected())
	}
	return rows, changed, nil
}

// resealed returns the value as the sealer seals it, and whether an older key had sealed
// it.
func (s *Seal) resealed(sealer *Sealer, sealed []byte, hookID uuid.UUID, column string) (value []byte, old bool, err error) {
	if sealed == nil {
		return nil, false, nil
	}
	text, key, err := open(s.keys.Known(), sealed, hookID, column)
	if err != nil || key == 0 {
		return sealed, false, err
	}
	return sealer.Seal(text, hookID, column), true, nil
}
