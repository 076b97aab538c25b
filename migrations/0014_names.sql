-- +goose Up

-- Names that say what a table, column or function is for, and one owner for
-- each table: a package reads only its own, and asks auth about tenants through
-- lock_tenants.

alter table requests rename to calls;
alter table calls rename constraint requests_pkey to calls_pkey;
alter table calls rename column expired to token_expired;
alter table calls rename column file to filename;
alter table calls rename column kind to content_type;

alter table submissions rename column unfinished to open_attempts;
alter table submissions rename column polls to polls_in_state;
alter table submissions drop column scheduled_wait; -- only due_at needs it, at the trigger

alter function submission_moves() rename to check_submission_transition;
alter trigger submission_moves on submissions rename to check_submission_transition;

alter table deliveries rename column begun_at to delivered_at;
alter table deliveries rename column answer to response;
alter table failed_attempts rename column answer to response;
alter view attempts rename column answer to response;
alter function keep_collected() rename to copy_collected_request;
alter trigger keep_collected on deliveries rename to copy_collected_request;
alter function hook_gone() rename to delete_deliveries_of_hook;
alter trigger hook_gone on hooks rename to delete_deliveries_of_hook;

-- Each source of the feed is read by its owner.
drop view happened;
drop function shown;
alter type told rename to recorded_attempt;
alter table attempted rename to attempt_batches;
alter table attempt_batches rename constraint attempted_pkey to attempt_batches_pkey;
alter table attempt_batches rename column entries to attempt_count;
alter table feed drop column kind; -- all are states

-- auth: the tenants that exist, locked so that none is deleted before the
-- transaction ends. It does once for many rows what a foreign key does for each.
-- +goose StatementBegin
create function lock_tenants(ids uuid[]) returns table (id uuid, clock_offset interval, settings jsonb) rows 10 language plpgsql as $$
begin
  return query
    select t.id, t.clock_offset, t.settings
    from tenants t
    where t.id = any(ids)
    order by t.id
    for key share;
end $$;
-- +goose StatementEnd

-- Each owner deletes the rows of a deleted tenant that no foreign key deletes.
drop trigger journal_gone on tenants;
drop trigger tenant_gone on tenants;
drop function journal_gone, tenant_gone;
-- +goose StatementBegin
create function delete_calls_of_tenant() returns trigger language plpgsql as $$
begin
  delete from calls where tenant_id = old.id;
  return null;
end $$;
-- +goose StatementEnd
create trigger delete_calls_of_tenant after delete on tenants
  for each row execute function delete_calls_of_tenant();
-- At the end of the transaction, since the tenant's subscriptions are deleted
-- with it, and deliveries are locked before events.
-- +goose StatementBegin
create function delete_events_of_tenant() returns trigger language plpgsql as $$
begin
  delete from events where tenant_id = old.id;
  delete from attempt_batches where tenant_id = old.id;
  return null;
end $$;
-- +goose StatementEnd
create constraint trigger delete_events_of_tenant after delete on tenants
  deferrable initially deferred for each row execute function delete_events_of_tenant();
-- +goose StatementBegin
create function delete_feed_of_tenant() returns trigger language plpgsql as $$
begin
  delete from feed where tenant_id = old.id;
  return null;
end $$;
-- +goose StatementEnd
create trigger delete_feed_of_tenant after delete on tenants
  for each row execute function delete_feed_of_tenant();

-- +goose Down
drop trigger delete_feed_of_tenant on tenants;
drop trigger delete_events_of_tenant on tenants;
drop trigger delete_calls_of_tenant on tenants;
drop function delete_feed_of_tenant, delete_events_of_tenant, delete_calls_of_tenant, lock_tenants;

alter table feed
  add column kind text not null default 'state' constraint feed_kind_check check (kind in ('state', 'expired'));
alter table feed alter column kind drop default;
alter table attempt_batches rename column attempt_count to entries;
alter table attempt_batches rename constraint attempt_batches_pkey to attempted_pkey;
alter table attempt_batches rename to attempted;
alter type recorded_attempt rename to told;
create function shown(attempt told) returns json language sql immutable as $$
  select json_build_object(
    'delivery_id', attempt.delivery_id, 'request_id', attempt.request_id, 'hook_id', attempt.hook_id, 'event', attempt.event,
    'url', attempt.url, 'attempt', attempt.attempt, 'status', attempt.status, 'failure', attempt.failure, 'duration_ms', attempt.duration_ms
  )
$$;

alter trigger delete_deliveries_of_hook on hooks rename to hook_gone;
alter function delete_deliveries_of_hook() rename to hook_gone;
alter trigger copy_collected_request on deliveries rename to keep_collected;
alter function copy_collected_request() rename to keep_collected;
alter view attempts rename column response to answer;
alter table failed_attempts rename column response to answer;
alter table deliveries rename column response to answer;
alter table deliveries rename column delivered_at to begun_at;

alter trigger check_submission_transition on submissions rename to submission_moves;
alter function check_submission_transition() rename to submission_moves;
alter table submissions add column scheduled_wait interval;
alter table submissions rename column polls_in_state to polls;
alter table submissions rename column open_attempts to unfinished;

alter table calls rename column content_type to kind;
alter table calls rename column filename to file;
alter table calls rename column token_expired to expired;
alter table calls rename constraint calls_pkey to requests_pkey;
alter table calls rename to requests;
create view happened as
  select xid, seq, tenant_id, at, kind, event, tx_id, data, null::told as attempt
  from feed
  union all
  select xid, seq, tenant_id, at, 'call'::text, 'call'::text, tx_id,
    jsonb_strip_nulls(jsonb_build_object(
      'request_id', id, 'method', method, 'path', path, 'route', route, 'status', status, 'faults', nullif(to_jsonb(faults), '[]')
    ))::json,
    null
  from requests
  union all
  select xid, place, tenant_id, at, 'delivery'::text, 'delivery'::text, ''::text, null,
    (at, delivery_id, request_id, hook_id, event, url, attempt, status, failure, duration_ms)::told
  from attempted
  cross join lateral unnest(attempts) with ordinality
    each (at, delivery_id, request_id, hook_id, event, url, attempt, status, failure, duration_ms, place);
-- +goose StatementBegin
create function tenant_gone() returns trigger language plpgsql as $$
begin
  delete from events where tenant_id = old.id;
  delete from feed where tenant_id = old.id;
  delete from attempted where tenant_id = old.id;
  return null;
end $$;
-- +goose StatementEnd
create constraint trigger tenant_gone after delete on tenants
  deferrable initially deferred for each row execute function tenant_gone();
-- +goose StatementBegin
create function journal_gone() returns trigger language plpgsql as $$
begin
  delete from requests where tenant_id = old.id;
  return null;
end $$;
-- +goose StatementEnd
create trigger journal_gone after delete on tenants for each row execute function journal_gone();
