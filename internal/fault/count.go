package fault

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// count counts matching calls or deliveries, given their routes or events in order, and
// returns for each whether the fault acts on it. The lock on the row numbers them
// consistently, whichever server they reach. If the fault acts, count also returns its
// body. Only one call or batch of a tenant is counted at a time, so that a tenant uses at
// most one connection.
func (in *Injector) count(ctx context.Context, f fault, routes ...string) (acts []bool, body *string, err error) {
	leave, err := in.enter(ctx, f.TenantID)
	if err != nil {
		return nil, nil, err
	}
	defer leave()
	acts, added := make([]bool, len(routes)), map[string]int64{}
	for _, route := range routes {
		added[route]++
	}
	var names []string
	var numbers []int64
	for name, n := range added {
		names, numbers = append(names, name), append(numbers, n)
	}
	counted, err := storage.One[struct {
		Calls      int64
		RouteCalls map[string]int64
	}](ctx, in.db, `
		update faults
		set calls = calls + @added,
			route_calls = route_calls || (
				select jsonb_object_agg(name, coalesce((route_calls ->> name)::bigint, 0) + n)
				from unnest(@names::text[], @numbers::bigint[]) added (name, n)
			)
		where tenant_id = @tenant_id
		and id = @id
		returning calls, route_calls`,
		pgx.StrictNamedArgs{"tenant_id": f.TenantID, "id": f.ID, "added": len(routes), "names": names, "numbers": numbers})
	if errors.Is(err, pgx.ErrNoRows) {
		return acts, nil, nil // deleted in the meantime
	}
	if err != nil {
		return nil, nil, fmt.Errorf("count call: %w", err)
	}
	number, ofRoute := counted.Calls-int64(len(routes)), counted.RouteCalls
	for name, n := range added {
		ofRoute[name] -= n
	}
	acted := 0
	for i, route := range routes {
		number++
		ofRoute[route]++
		if acts[i] = f.selectsNumber(number) && f.selectsByChance(route, ofRoute[route]); acts[i] {
			acted++
		}
	}
	if acted == 0 {
		return acts, nil, nil
	}
	err = in.db.QueryRow(ctx, `
		update faults
		set acted = acted + @acted
		where tenant_id = @tenant_id
		and id = @id
		returning body`,
		pgx.StrictNamedArgs{"tenant_id": f.TenantID, "id": f.ID, "acted": acted}).Scan(&body)
	if errors.Is(err, pgx.ErrNoRows) {
		return make([]bool, len(routes)), nil, nil // deleted in the meantime
	}
	if err != nil {
		return nil, nil, fmt.Errorf("count call that the fault acts on: %w", err)
	}
	return acts, body, nil
}
