package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// Limits of the stored responses of receivers, in bytes with their heads.
const (
	maxEarlierResponse = 1 << 10  // of an attempt, once its delivery has a later one
	maxTenantResponses = 50 << 20 // of all attempts of a tenant

	// A server trims the responses of a tenant after it has stored this many bytes of
	// them. So a tenant can exceed its limit by this much per server.
	responsesSlack        = 5 << 20
	responsesTrimInterval = 5 * time.Second
)

// runResponseTrimmer calls trimResponses every responsesTrimInterval until ctx ends.
func (d *Dispatcher) runResponseTrimmer(ctx context.Context) {
	every(ctx, responsesTrimInterval, "trimming responses of receivers failed", func() error { return d.trimResponses(ctx) })
}

// countResponse counts the stored response of an attempt. d.mu is held.
func (d *Dispatcher) countResponse(r result) {
	if len(d.stored) > 10_000 {
		clear(d.stored)
	}
	if r.sent {
		d.stored[r.TenantID] += len(r.Response)
	}
}

// trimResponses trims the responses of the tenants for which this server has stored many
// since it trimmed them last.
func (d *Dispatcher) trimResponses(ctx context.Context) error {
	var grown []uuid.UUID
	d.mu.Lock()
	for tenantID, size := range d.stored {
		if size > responsesSlack {
			grown = append(grown, tenantID)
			delete(d.stored, tenantID)
		}
	}
	d.mu.Unlock()
	for _, tenantID := range grown {
		if err := trimResponsesOf(ctx, d.db, tenantID); err != nil {
			return fmt.Errorf("trim responses: %w", err)
		}
	}
	return nil
}

// trimResponsesOf empties the oldest responses of the tenant beyond the limit. The
// attempts remain. It waits for no lock, and leaves locked rows to the next call.
func trimResponsesOf(ctx context.Context, db storage.DB, tenantID uuid.UUID) error {
	newest, err := storage.One[struct {
		At         time.Time
		DeliveryID uuid.UUID
		Number     int
	}](ctx, db, `
		select at, delivery_id, number
		from (
			select a.*, sum(size) over (order by at desc, delivery_id desc, number desc) as total
			from hooks h
			cross join lateral (
				select at, delivery_id, number, octet_length(response) as size
				from attempts
				where hook_id = h.id
				and octet_length(response) > 0
				offset 0 -- otherwise the two tables of the view can be read as a whole
			) a
			where h.tenant_id = @tenant_id
		) counted
		where total > @max
		order by at desc, delivery_id desc, number desc
		limit 1`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "max": maxTenantResponses})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	} else if err != nil {
		return err
	}
	for _, empty := range []string{
		`
		update failed_attempts
		set response = ''
		where ctid = any(array(
			select a.ctid
			from hooks h
			join failed_attempts a on a.hook_id = h.id
			where h.tenant_id = @tenant_id
			and octet_length(a.response) > 0
			and (a.at, a.delivery_id, a.number) <= (@at, @delivery_id, @number)
			limit @batch
			for update of a skip locked
		))`, `
		update deliveries
		set response = ''
		where ctid = any(array(
			select d.ctid
			from hooks h
			join deliveries d on d.hook_id = h.id
			where h.tenant_id = @tenant_id
			and d.state = 'delivered'
			and octet_length(d.response) > 0
			and (d.delivered_at, d.id, d.attempt) <= (@at, @delivery_id, @number)
			limit @batch
			for update of d skip locked
		))`,
	} {
		for emptied := int64(trimBatch); emptied == trimBatch; {
			tag, err := db.Exec(ctx, empty, pgx.StrictNamedArgs{
				"tenant_id": tenantID, "at": newest.At, "delivery_id": newest.DeliveryID, "number": newest.Number, "batch": trimBatch,
			})
			if err != nil {
				return err
			}
			emptied = tag.RowsAffected()
		}
	}
	return nil
}
