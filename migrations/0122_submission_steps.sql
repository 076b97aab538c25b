-- +goose Up

-- If a submission reaches several states at the same time, one update moves it to the last
-- of them. Its timeline, the feed and its events still have each state.
-- +goose StatementBegin
create or replace function check_submission_transition() returns trigger language plpgsql as $$
begin
  if (old.status, new.status) not in (
    ('Pending', 'Submission_in_progress'),
    ('Pending', 'Scheduled'),
    ('Pending', 'Started'),
    ('Submission_in_progress', 'Scheduled'),
    ('Submission_in_progress', 'Started'),
    ('Scheduled', 'Started'),
    ('Started', 'Completed'),
    ('Started', 'Failed')
  ) then
    raise exception 'submission %: % may not follow %', old.tx_id, new.status, old.status
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
-- +goose StatementEnd

-- Statements of other packages call these functions. Each saves a statement.

-- find_tenant returns the tenant, without a lock.
create function find_tenant(wanted uuid) returns setof tenants language sql stable as $$
  select * from tenants where id = wanted
$$;

-- append_states adds states to the feeds, in the order of the arrays. It returns true, so
-- that a statement can call it in a condition.
-- +goose StatementBegin
create function append_states(tenants uuid[], times timestamptz[], events text[], tx_ids text[], contents text[])
returns boolean language plpgsql as $$
begin
  insert into feed (tenant_id, at, event, tx_id, data)
  select tenant_id, at, event, tx_id, data::json
  from unnest(tenants, times, events, tx_ids, contents)
    with ordinality reached (tenant_id, at, event, tx_id, data, position)
  order by position;
  return true;
end $$;
-- +goose StatementEnd

-- Claims and leases change no indexed column, so that PostgreSQL need not add to the
-- indexes if the page has room for the new version of the row.
drop index submissions_held;
alter table submissions set (fillfactor = 80);

-- +goose Down
alter table submissions reset (fillfactor);
create index submissions_held on submissions (tenant_id) where lease_until is not null;
drop function append_states, find_tenant;
-- +goose StatementBegin
create or replace function check_submission_transition() returns trigger language plpgsql as $$
begin
  if (old.status, new.status) not in (
    ('Pending', 'Submission_in_progress'),
    ('Submission_in_progress', 'Scheduled'),
    ('Scheduled', 'Started'),
    ('Started', 'Completed'),
    ('Started', 'Failed')
  ) then
    raise exception 'submission %: % may not follow %', old.tx_id, new.status, old.status
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
-- +goose StatementEnd
