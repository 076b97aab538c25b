-- +goose Up

-- Entries of the feed are in the order of the transactions that wrote them. In another
-- PostgreSQL, into which a dump is restored, the ids of transactions may be lower than
-- those of the entries. A server that starts then replaces this function by one that adds
-- a number to the ids, so that new entries come after the restored ones and cursors from
-- before remain valid. See internal/storage/restored.go.
create function feed_position(transaction xid8) returns xid8 language sql stable as $$
  select transaction
$$;

-- The states that each tenant's submissions reached, ordered by transaction first, so that
-- readers miss no entry that is committed late. See package feed. Calls and attempts, which the
-- feed shows too, are read from calls and attempt_batches.
--
-- There is no foreign key, because it would look up the tenant for each row, although writers
-- have locked it.
create table feed (
  seq       bigint generated always as identity,
  xid       xid8 not null default feed_position(pg_current_xact_id()),
  tenant_id uuid not null,
  at        timestamptz not null, -- tenant's time
  event     text not null, -- subject or subject:action
  tx_id     text not null default '', -- '' = about no transaction
  data      json not null -- not jsonb, because it is only passed on
);
create index on feed (tenant_id, xid, seq);

-- +goose StatementBegin
create function delete_feed_of_tenant() returns trigger language plpgsql as $$
begin
  delete from feed where tenant_id = old.id;
  return null;
end $$;
-- +goose StatementEnd
create trigger delete_feed_of_tenant after delete on tenants
  for each row execute function delete_feed_of_tenant();

-- A transaction that calls announce_tenants adds entries to the feeds of these tenants
-- only, so that readers of other feeds do not wait for it. Its first call names all tenants
-- for which it adds entries. A transaction that does not call the function delays the
-- readers of all tenants of the environment until it ends. See internal/feed/horizon.go.
--
-- The transaction gets a shared advisory lock for each tenant, and then the lock with key
-- 0, which means that its tenants are complete. It never waits, since no transaction locks
-- them exclusively. The class of the locks is the table feed of this environment.

-- Keys of tenants are odd, so none is 0. Tenants with the same key delay each other.
create function tenant_lock_key(id uuid) returns int language sql immutable as $$
  select hashtext(id::text) | 1
$$;

-- It returns true, so that a statement can call it in a condition. More than 50 tenants are not
-- announced, because PostgreSQL has room for a limited number of locks.
-- +goose StatementBegin
create function announce_tenants(ids uuid[]) returns boolean language plpgsql as $$
begin
  if cardinality(ids) <= 50 then
    perform pg_advisory_xact_lock_shared('feed'::regclass::oid::int, tenant_lock_key(id)) from unnest(ids) id;
    perform pg_advisory_xact_lock_shared('feed'::regclass::oid::int, 0);
  end if;
  return true;
end $$;
-- +goose StatementEnd

-- +goose Down
drop function announce_tenants, tenant_lock_key;
drop trigger delete_feed_of_tenant on tenants;
drop function delete_feed_of_tenant;
drop table feed;
drop function feed_position;
