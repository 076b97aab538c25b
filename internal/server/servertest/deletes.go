package servertest

// MultiplyDeliveries adds n pending deliveries to the subscription, with an event for each,
// like the first one of the subscription.
func (s *Server) MultiplyDeliveries(hookID string, n int) {
	s.T.Helper()
	s.Exec(`
		with template as (
			select * from deliveries where hook_id = $1 limit 1
		), event as (
			insert into events (tenant_id, id, event, body, created_at, tx_id)
			select e.tenant_id, gen_random_uuid(), e.event, e.body, e.created_at, e.tx_id
			from events e
			join template on template.tenant_id = e.tenant_id and template.event_id = e.id
			cross join generate_series(1, $2)
			returning id
		)
		insert into deliveries (hook_id, id, tenant_id, activation, event_id, event, due_at, enqueued_at, created_at, updated_at)
		select hook_id, gen_random_uuid(), tenant_id, activation, event.id, event, due_at, enqueued_at, created_at, updated_at
		from template, event`, hookID, n)
}

// CountDeletes makes the database count the rows that each statement deletes from the
// table, for Deletes and FailDeletes.
func (s *Server) CountDeletes(table string) {
	s.T.Helper()
	for _, sql := range []string{
		`create table if not exists counted_deletes (position bigint generated always as identity, name text, deleted integer)`,
		`create table if not exists failing_deletes (name text, after integer)`,
		`create or replace function count_deletes() returns trigger language plpgsql as $$
		begin
			insert into counted_deletes (name, deleted) select tg_table_name, count(*) from gone having count(*) > 0;
			if exists (
				select from failing_deletes
				where name = tg_table_name
				and (select count(*) from counted_deletes where name = tg_table_name) > after
			) then
				raise exception 'the deletion is interrupted';
			end if;
			return null;
		end $$`,
		`create trigger count_deletes after delete on ` + table + ` referencing old table as gone
			for each statement execute function count_deletes()`,
	} {
		s.Exec(sql)
	}
}

// Deletes returns the number of rows of each statement that has deleted rows of the table.
func (s *Server) Deletes(table string) []int {
	s.T.Helper()
	return Value[[]int](s, "select coalesce(array_agg(deleted order by position), '{}') from counted_deletes where name = $1", table)
}

// FailDeletes makes deletions from the table fail after a number of statements; never if it
// is negative.
func (s *Server) FailDeletes(table string, after int) {
	s.T.Helper()
	s.Exec("delete from failing_deletes where name = $1", table)
	if after >= 0 {
		s.Exec("insert into failing_deletes (name, after) values ($1, $2)", table, after)
	}
}
