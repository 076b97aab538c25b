package servertest

import (
	"context"

	"github.com/google/uuid"
)

// SeedConsole gives the tenant acme submissions, calls in the journal, and finished
// deliveries to several subscriptions, as many as a busy server has. It writes them with
// SQL. Half of the submissions ended in the last day, and every tenth failed.
func (s *Server) SeedConsole(submissions, calls, deliveries int) {
	s.T.Helper()
	id, now := s.TenantID("acme"), s.Now()
	connection, err := s.DB.Acquire(context.Background())
	if err != nil {
		s.T.Fatal(err)
	}
	defer connection.Release()
	exec := func(sql string, args ...any) {
		s.T.Helper()
		if _, err := connection.Exec(context.Background(), sql, args...); err != nil {
			s.T.Fatal(err)
		}
	}
	exec("set statement_timeout = 0")
	exec(`
		insert into submissions (
			tx_id, tenant_id, user_id, filename, search, status, created_at, upload_expires_at, aged_from, object_key, size, sha256, uploaded_at,
			started_at, finished_at, failure, extraction, c_report_id, l_report_id
		)
		select
			gen_random_uuid(), $1, gen_random_uuid(), 'application-' || n || '.pdf', 'application-' || n || '.pdf', status, at, at + interval '5 minutes', $2,
			'seed/' || n, 10000 + n, sha256(n::text::bytea), at, case when status <> 'Pending' then at end, case when status in ('Completed', 'Failed') then at + interval '2 seconds' end,
			case status when 'Failed' then 'no readable text' end,
			case status when 'Completed' then jsonb_build_object('seed', repeat('Foxglove Bakery LLC ', 40), 'n', n) end,
			case status when 'Completed' then 'CUS1' || upper(lpad(to_hex(n), 16, '0')) end,
			case status when 'Completed' then 'LUS1' || upper(lpad(to_hex(n), 16, '0')) end
		from (
			select n, case when n % 10 = 0 then 'Failed' when n % 100 = 1 then 'Pending' else 'Completed' end as status,
				$2::timestamptz - n * (interval '2 days' / $3::int) as at
			from generate_series(1, $3) n
		) seeded`,
		id, now, submissions)
	exec(`
		insert into submission_states (tx_id, status, at, real_at)
		select tx_id, state, started_at, started_at
		from (select tx_id, started_at from submissions where tenant_id = $1 and status = 'Completed' order by created_at desc limit 10000) newest,
			unnest(array['Submission_in_progress', 'Scheduled', 'Started', 'Completed']) state
		on conflict do nothing`, id)
	exec(`
		insert into feed (tenant_id, at, event, tx_id, data)
		select $1, finished_at, 'universal_submit:' || lower(status), tx_id::text, json_build_object('tx_id', tx_id, 'status', status)
		from submissions
		where tenant_id = $1
		and finished_at is not null
		order by finished_at desc
		limit 10000`, id)
	for first := 1; first <= calls; first += seededTogether {
		exec(`
			insert into calls (
				tenant_id, id, at, begun_at, duration, client_id, method, path, route, status, tx_id, token_expired, faults, filename, content_type,
				request_headers, request_body, request_size, response_headers, response_body, response_size, reason, size
			)
			select
				$1, (left(ms, 8) || '-' || right(ms, 4) || '-7000-8000-' || left(md5(ms), 12))::uuid, $2::timestamptz - (10 * n) * interval '1 second', $2::timestamptz - (10 * n) * interval '1 second', interval '3 milliseconds', 'acme-client',
				method, path, route, status, coalesce(tx_id::text, ''), false, '{}', '', '',
				'{"Authorization":["Bearer ***"],"Content-Type":["application/json"],"User-Agent":["client/1"],"X-Api-Key":["***"]}',
				case method when 'POST' then '{"company_name":"Foxglove Bakery LLC","address":"12 Mill Street"}' else '' end::bytea, 64,
				'{"Content-Type":["application/json"],"X-Request-Id":["0190"]}', ('{"status":"' || repeat('x', 600) || '"}')::bytea, 612, '', 2000
			from (
				select n, lpad(to_hex((1000 * extract(epoch from $2::timestamptz))::bigint - 10000 * n), 12, '0') as ms,
					case when n % 3 = 0 then 'POST' else 'GET' end as method,
					case when n % 3 = 0 then '/company/v1/company_submit' else '/universal/v2/universal-submit/status/' || gen_random_uuid() end as path,
					case when n % 3 = 0 then 'POST /company/v1/company_submit' else 'GET /universal/v2/universal-submit/status/{tx_id}' end as route,
					case when n % 50 = 0 then 404 else 200 end as status,
					case when n % 3 <> 0 then gen_random_uuid() end as tx_id
				from generate_series($3::int, $4) n
			) seeded`,
			id, now, first, min(first+seededTogether-1, calls))
	}
	exec(`
		insert into operation_counts (tenant_id, operation, status, calls, first_at, last_at)
		select tenant_id, route, status, count(*), min(at), max(at)
		from calls
		where tenant_id = $1
		group by tenant_id, route, status
		on conflict do nothing`, id)
	s.seedDeliveries(exec, id, deliveries)
	for _, table := range []string{"submissions", "submission_states", "feed", "call_batches", "operation_counts", "events", "deliveries", "failed_attempts", "attempt_batches"} {
		Until(s.T, table+" has been vacuumed", func() bool { // which other transactions can delay
			exec("vacuum analyze " + table)
			return Value[bool](s, "select relallvisible >= relpages - 2 from pg_class where oid = $1::regclass", table)
		})
	}
}

// seededTogether is how many calls SeedConsole makes in each transaction.
const seededTogether = 50

// seededSubscriptions is how many subscriptions SeedConsole makes.
const seededSubscriptions = 10

// seedDeliveries gives the tenant acme finished deliveries to several subscriptions, of
// which every hundredth was given up.
func (s *Server) seedDeliveries(exec func(sql string, args ...any), tenantID uuid.UUID, deliveries int) {
	s.T.Helper()
	acme, hooks := s.Acme(), make([]string, seededSubscriptions)
	for i := range hooks {
		hooks[i] = acme.Subscribe("http://127.0.0.1:9")
	}
	exec(`
		insert into events (tenant_id, id, event, body, created_at, tx_id)
		select $1, (left(ms, 8) || '-' || right(ms, 4) || '-7000-8000-' || left(md5(ms), 12))::uuid,
			'universal_submit:completed', repeat('{"status":"Completed"}', 20)::bytea, $2, ''
		from (
			select lpad(to_hex((1000 * extract(epoch from $2::timestamptz))::bigint - n), 12, '0') as ms
			from generate_series(1, $3) n
		) id`,
		tenantID, s.Now(), deliveries/seededSubscriptions)
	exec(`
		insert into deliveries (
			id, tenant_id, hook_id, activation, event_id, event, state, attempt, due_at, enqueued_at, created_at, updated_at,
			delivered_at, address, response, response_status, response_duration_ms
		)
		select delivery_id(e.id, h.id), $1, h.id, 1, e.id, e.event, state, 1, $2, $2, $2, $2,
			case state when 'delivered' then $2::timestamptz end, '127.0.0.1:9', '', case state when 'delivered' then 200 else 500 end, 4
		from events e
		cross join (select id, row_number() over (order by id) as number from hooks where id = any($3::uuid[])) h
		cross join lateral (
			select case (('x' || right(e.id::text, 4))::bit(16)::int + h.number) % 100 when 0 then 'dead' else 'delivered' end as state
		) ended
		where e.tenant_id = $1
		order by e.id`,
		tenantID, s.Now(), hooks)
	exec(`
		insert into failed_attempts (hook_id, delivery_id, number, at, address, status, duration_ms, response)
		select hook_id, id, 1, updated_at, '127.0.0.1:9', 500, 4, ''
		from deliveries
		where tenant_id = $1
		and state = 'dead'`, tenantID)
	for batch := range 100 {
		exec(`
			insert into attempt_batches (tenant_id, attempt_count, attempts)
			select $1, count(*), array_agg((created_at, id, id, hook_id, event, 'http://127.0.0.1:9', 1, response_status, '', 4, null)::recorded_attempt)
			from (select * from deliveries where hook_id = $2 order by id desc limit 100 offset 100 * $3::int) newest
			having count(*) > 0`,
			tenantID, hooks[batch%seededSubscriptions], batch/seededSubscriptions)
	}
}
