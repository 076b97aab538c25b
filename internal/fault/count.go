package fault

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// match is a fault with the calls or deliveries that it matches.
type match struct {
	fault
	routes []string // of the calls, or events of the deliveries, in their order

	// results of count
	acts []bool // of each route: whether the fault acts on it
	body *string
}

// maxCounted is the maximum number of faults that one statement counts for. Counting for one fault
// can take milliseconds, and calls of other tenants wait for the connection meanwhile.
const maxCounted = 10

// count counts the calls or deliveries that a tenant's faults match, and sets whether
// each fault acts on them. Only one call or batch of a tenant is counted at a time, so that a
// tenant uses at most one connection. After an error, only the faults that were counted
// before it act.
func (in *Injector) count(ctx context.Context, tenantID uuid.UUID, matches []match) error {
	for i := range matches {
		matches[i].acts = make([]bool, len(matches[i].routes))
	}
	leave, err := in.enter(ctx, tenantID)
	if err != nil {
		return err
	}
	defer leave()
	for some := range slices.Chunk(matches, maxCounted) {
		if err := in.countSome(ctx, tenantID, some); err != nil {
			return err
		}
	}
	return nil
}

// countSome is count for at most maxCounted faults. One statement counts for all of them. It locks
// their rows, so that calls are numbered consistently on all servers. Another statement counts the
// calls or deliveries on which faults act, and reads the bodies of these faults.
func (in *Injector) countSome(ctx context.Context, tenantID uuid.UUID, matches []match) error {
	counted, err := in.countMatches(ctx, tenantID, matches)
	if err != nil {
		return err
	}
	var ids []uuid.UUID
	var acted []int64
	for i := range matches {
		m := &matches[i]
		if after, exists := counted[m.ID]; exists { // otherwise it was deleted in the meantime
			if n := m.number(after); n > 0 {
				ids, acted = append(ids, m.ID), append(acted, n)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	bodies, err := in.countActed(ctx, tenantID, ids, acted)
	for i := range matches {
		m := &matches[i]
		var exists bool
		if m.body, exists = bodies[m.ID]; !exists { // it has not acted, was deleted in the meantime, or was not counted
			clear(m.acts)
		}
	}
	return err
}

// maxRoutes is the number of routes, or of names of events, for which a fault has counts of
// their own. The others share the count of the route "", since a tenant can publish events of
// any number of names.
const maxRoutes = 100

// counts are the numbers of calls that a fault has matched, in all and by route.
type counts struct {
	ID         uuid.UUID
	Calls      int64
	RouteCalls map[string]int64
}

// number numbers the calls, in all and by route, so that the last numbers are the counts.
// It sets on which calls the fault acts, and returns how many they are.
func (m *match) number(after counts) (acted int64) {
	number := after.Calls - int64(len(m.routes))
	counted := func(route string) string {
		if _, own := after.RouteCalls[route]; own {
			return route
		}
		return ""
	}
	for _, route := range m.routes {
		after.RouteCalls[counted(route)]--
	}
	for i, route := range m.routes {
		number++
		after.RouteCalls[counted(route)]++
		if m.acts[i] = m.selectsNumber(number) && m.selectsByChance(route, after.RouteCalls[counted(route)]); m.acts[i] {
			acted++
		}
	}
	return acted
}

// lockedFaults is the start of a statement that locks the faults @ids of a tenant, always
// in the same order.
const lockedFaults = `
		with locked as materialized (
			select id
			from faults
			where tenant_id = @tenant_id
			and id = any(@ids)
			order by id
			for update
		)`

// countMatches adds the routes to the counts of the faults, and returns the new counts
// by the id of the fault.
func (in *Injector) countMatches(ctx context.Context, tenantID uuid.UUID, matches []match) (map[uuid.UUID]counts, error) {
	n := len(matches)
	ids, added, byRoute := make([]uuid.UUID, n), make([]int64, n), make([]string, n)
	for i, m := range matches {
		routes := map[string]int{}
		for _, route := range m.routes {
			routes[route]++
		}
		text, err := json.Marshal(routes)
		if err != nil {
			return nil, fmt.Errorf("count calls: %w", err)
		}
		ids[i], added[i], byRoute[i] = m.ID, int64(len(m.routes)), string(text)
	}
	rows, err := storage.All[counts](ctx, in.db, lockedFaults+`
		update faults f
		set calls = calls + added.n,
			route_calls = route_calls || (
				select jsonb_object_agg(name, coalesce((route_calls ->> name)::bigint, 0) + n)
				from (
					select name, sum(n) as n
					from (
						select n::bigint, case
							when route_calls ? route or row_number() over (order by route_calls ? route, route) +
								(select count(*) from jsonb_object_keys(route_calls)) <= @max_routes then route
							else ''
						end as name
						from jsonb_each_text(added.by_route) by_route (route, n)
					) named
					group by name
				) by_name
			)
		from locked
		join (select unnest(@ids::uuid[]) as id, unnest(@added::bigint[]) as n, unnest(@by_route::text[])::jsonb as by_route) added using (id)
		where f.id = locked.id
		and f.tenant_id = @tenant_id
		returning f.id, f.calls, f.route_calls`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "ids": ids, "added": added, "by_route": byRoute, "max_routes": maxRoutes})
	if err != nil {
		return nil, fmt.Errorf("count calls: %w", err)
	}
	counted := make(map[uuid.UUID]counts, n)
	for _, row := range rows {
		counted[row.ID] = row
	}
	return counted, nil
}

// countActed adds to the numbers of calls on which the faults have acted, and returns the
// bodies by the id of the fault.
func (in *Injector) countActed(ctx context.Context, tenantID uuid.UUID, ids []uuid.UUID, acted []int64) (map[uuid.UUID]*string, error) {
	rows, err := storage.All[struct {
		ID   uuid.UUID
		Body *string
	}](ctx, in.db, lockedFaults+`
		update faults f
		set acted = acted + added.n
		from locked
		join (select unnest(@ids::uuid[]) as id, unnest(@added::bigint[]) as n) added using (id)
		where f.id = locked.id
		and f.tenant_id = @tenant_id
		returning f.id, f.body`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "ids": ids, "added": acted})
	if err != nil {
		return nil, fmt.Errorf("count calls that faults act on: %w", err)
	}
	bodies := make(map[uuid.UUID]*string, len(rows))
	for _, row := range rows {
		bodies[row.ID] = row.Body
	}
	return bodies, nil
}
