package journal

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/data"
	"understudy.example/internal/storage"
)

// evidence is the number of calls that broke a rule, and the ids of the first ones.
type evidence struct {
	Count int
	IDs   []string
}

// maxEvidence is the maximum number of ids that a finding shows.
const maxEvidence = 20

// scope selects the calls that are checked for mistakes.
type scope struct {
	calls string              // query that selects rows of calls, with the argument tenant_id
	args  pgx.StrictNamedArgs // its other arguments
	about *uuid.UUID          // only mistakes of the call with this id count; nil = those of all
}

// allCalls is the scope of all calls of the tenant.
var allCalls = scope{calls: `
	select *
	from calls
	where tenant_id = @tenant_id`}

// newestCalls returns the scope of the tenant's newest calls, at most the given number.
func newestCalls(most int) scope {
	return scope{calls: allCalls.calls + `
	order by xid desc, seq desc
	limit @most`, args: pgx.StrictNamedArgs{"most": most}}
}

// near is how many calls before a call, and after it, are read to decide whether it
// broke a rule.
const near = 500

// callsNear returns the scope of a call: the call itself and those near it.
func callsNear(id uuid.UUID, xid, seq uint64) scope {
	return scope{`
			(` + allCalls.calls + `
				and xid <= @xid::bigint::text::xid8 -- the conditions on both columns would not use the index
				and (xid, seq) <= (@xid::bigint::text::xid8, @seq)
				order by xid desc, seq desc
				limit @near + 1
			)
			union all
			(` + allCalls.calls + `
				and xid >= @xid::bigint::text::xid8
				and (xid, seq) > (@xid::bigint::text::xid8, @seq)
				order by xid, seq
				limit @near
			)`, pgx.StrictNamedArgs{"xid": int64(xid), "seq": int64(seq), "near": near}, &id}
}

// findCalls returns the evidence of the rules about calls, by rule. It reads the calls
// once.
func findCalls(ctx context.Context, db storage.DB, tenantID uuid.UUID, in scope) (map[string]evidence, error) {
	packages, err := data.Packages(ctx, db, tenantID)
	if err != nil {
		return nil, err
	}
	locationPackages := []string{}
	for _, p := range packages {
		if p.Kind == data.LocationKind {
			locationPackages = append(locationPackages, p.ID)
		}
	}
	var conditions, broken []string
	for _, rule := range rules {
		query := rule.calls
		if rule.call != "" {
			conditions = append(conditions, "("+rule.call+`) as "`+rule.name+`"`)
			query = `select id, seq from checked where "` + rule.name + `"`
		}
		if query != "" {
			broken = append(broken, "select '"+rule.name+"' as rule, broken.id, broken.seq from ("+query+") broken")
		}
	}
	args := pgx.StrictNamedArgs{
		"tenant_id": tenantID, "location_packages": locationPackages, "about": in.about, "max": maxEvidence,
		"extensions": slices.Collect(maps.Keys(contentTypes)), "types": []string{},
	}
	for _, extension := range args["extensions"].([]string) {
		args["types"] = append(args["types"].([]string), contentTypes[extension])
	}
	maps.Copy(args, in.args)
	found, err := storage.All[struct {
		Rule string
		evidence
	}](ctx, db, `
		with checked as materialized (
			select
				id, row_number() over (order by xid, seq) as seq, begun_at, at, client_id, tx_id, route, status, filename, content_type, request_sha256,
				`+strings.Join(conditions, ",\n")+`
			from (`+in.calls+`) calls
		),
		uploads as materialized ( -- with the filename for which the upload URL was requested
			select *
			from (
				select
					id, seq, route, filename, lower(split_part(content_type, ';', 1)) as content_type, request_sha256,
					max(filename) filter (where route like 'POST %/file-upload-url') over (partition by tx_id) as announced
				from checked
				where tx_id <> ''
				and (route like 'PUT /file-transfer/%' or route like 'POST %/file-upload-url')
			) announced
			where route like 'PUT /file-transfer/%'
			and request_sha256 is not null
		)
		select rule, count(*) as count, (array_agg(id::text order by seq))[:@max] as ids
		from (
			`+strings.Join(broken, "\nunion all\n")+`
		) broken
		where @about::uuid is null
		or id = @about
		group by rule`, args)
	if err != nil {
		return nil, fmt.Errorf("find mistakes in calls: %w", err)
	}
	byRule := make(map[string]evidence, len(found))
	for _, f := range found {
		byRule[f.Rule] = f.evidence
	}
	return byRule, nil
}
