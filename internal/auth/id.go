package auth

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// IDKind is the kind of object that an id is for. The ids of a tenant with an id seed
// are counted by kind.
type IDKind string

// All kinds, in descending order of their names. A database transaction that needs ids
// of several kinds requests them in this order, because ResetIDs locks the counters in
// the same order.
const (
	TransactionID  IDKind = "transaction"
	SubscriptionID IDKind = "subscription"
	ReportID       IDKind = "report"
	InquiryID      IDKind = "inquiry"
	EventID        IDKind = "event" // also of redeliveries, which are listed among the deliveries of events
)

// NewID returns a new id of the kind for the tenant.
func NewID(ctx context.Context, db storage.DB, kind IDKind, tenant Tenant) (uuid.UUID, error) {
	ids, err := NewIDs(ctx, db, kind, tenant)
	if err != nil {
		return uuid.Nil, err
	}
	return ids[0], nil
}

// IDAttempts is the maximum number of attempts to find an unused id.
const IDAttempts = 30

// NewIDAfter is NewID after a number of attempts whose ids were already in use. In a tenant
// with an id seed, many of the next ids can be in use, for example by the rows of an
// archive, so each attempt skips twice as many ids as the one before. The last attempts skip a random number,
// because the archive of another tenant can contain any ids that can be predicted.
func NewIDAfter(ctx context.Context, db storage.DB, kind IDKind, tenant Tenant, attempts int) (uuid.UUID, error) {
	if attempts > 0 && tenant.Settings.IDSeed != nil {
		skipped := int64(1)<<attempts - 2
		if attempts > 20 {
			skipped = rand.Int64N(1 << 30)
		}
		if _, err := db.Exec(ctx, `
			update id_counters
			set given = given + @skipped
			where tenant_id = @tenant_id
			and kind = @kind`,
			pgx.StrictNamedArgs{"tenant_id": tenant.ID, "kind": kind, "skipped": skipped}); err != nil {
			return uuid.Nil, fmt.Errorf("new %s id: %w", kind, err)
		}
	}
	return NewID(ctx, db, kind, tenant)
}

// NewIDs returns a new id of the kind for each of the tenants, which may occur several
// times. The ids of a tenant ascend, which keeps indexes dense. They are UUIDs of
// version 7. The ids of a tenant with an id seed are derived from the seed, the
// tenant's name and the number of ids of the kind that the tenant already has.
func NewIDs(ctx context.Context, db storage.DB, kind IDKind, tenants ...Tenant) ([]uuid.UUID, error) {
	ids := make([]uuid.UUID, len(tenants))
	seeded := map[uuid.UUID][]int{} // the positions of each tenant
	for i, tenant := range tenants {
		if tenant.Settings.IDSeed != nil {
			seeded[tenant.ID] = append(seeded[tenant.ID], i)
			continue
		}
		id, err := uuid.NewV7()
		if err != nil {
			return nil, fmt.Errorf("new %s id: %w", kind, err)
		}
		ids[i] = id
	}
	if len(seeded) == 0 {
		return ids, nil
	}
	given, err := countIDs(ctx, db, kind, seeded)
	if err != nil {
		return nil, fmt.Errorf("new %s id: %w", kind, err)
	}
	for tenantID, positions := range seeded {
		for n, i := range positions {
			ids[i] = seededID(tenants[i], kind, given[tenantID]-int64(len(positions)-n-1))
		}
	}
	return ids, nil
}

// countIDs adds to the tenants' counters of the kind an id for each position, and
// returns the new values. A tenant that no longer exists has none.
func countIDs(ctx context.Context, db storage.DB, kind IDKind, positions map[uuid.UUID][]int) (map[uuid.UUID]int64, error) {
	var tenantIDs []uuid.UUID
	for id, of := range positions {
		for range of {
			tenantIDs = append(tenantIDs, id)
		}
	}
	// Tenants are locked first: a tenant that is being deleted waits for this
	// transaction, and its counters are deleted with it.
	counted, err := storage.All[struct {
		TenantID uuid.UUID
		Given    int64
	}](ctx, db, `
		insert into id_counters (tenant_id, kind, given)
		select id, @kind, (select count(*) from unnest(@tenants::uuid[]) each where each = id)
		from lock_tenants(@owners)
		on conflict (tenant_id, kind) do update
		set given = id_counters.given + excluded.given
		returning tenant_id, given`,
		pgx.StrictNamedArgs{"kind": kind, "tenants": tenantIDs, "owners": storage.InLockOrder(tenantIDs)})
	given := make(map[uuid.UUID]int64, len(counted))
	for _, row := range counted {
		given[row.TenantID] = row.Given
	}
	return given, err
}

// firstSeededTime is the time in the first seeded id of a kind, in milliseconds. It is
// in the year 10886, so that no rule about age applies to rows with such ids.
const firstSeededTime = 0xFF00_0000_0000

// seededID returns the tenant's n-th id of the kind. Ids of different tenants differ in
// their last 74 bits.
func seededID(tenant Tenant, kind IDKind, n int64) uuid.UUID {
	name := fmt.Sprintf("%s/%d/%s/%d", tenant.Name, *tenant.Settings.IDSeed, kind, n)
	id := uuid.NewSHA1(uuid.NameSpaceURL, []byte("understudy/"+name))
	random := binary.BigEndian.Uint16(id[6:8])
	binary.BigEndian.PutUint64(id[:8], uint64(firstSeededTime+n)<<16|7<<12|uint64(random&0xFFF))
	return id
}

// ResetIDs deletes the counters of the tenant, so that the ids of a tenant with an id
// seed start from the first one again.
func ResetIDs(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID) error {
	if _, err := tx.Exec(ctx, `
		with locked as (
			select kind
			from id_counters
			where tenant_id = @tenant_id
			order by kind desc
			for update
		)
		delete from id_counters c
		using locked
		where c.tenant_id = @tenant_id
		and c.kind = locked.kind`,
		pgx.StrictNamedArgs{"tenant_id": tenantID}); err != nil {
		return fmt.Errorf("reset ids: %w", err)
	}
	return nil
}
