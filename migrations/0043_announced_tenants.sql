-- +goose Up

-- A transaction that calls announce_tenants adds entries to the feeds of these tenants
-- only, so that readers of other feeds do not wait for it. Its first call names all tenants
-- for which it adds entries. A transaction that does not call the function delays the
-- readers of all tenants of the environment until it ends. Servers that do not know the
-- function do not call it, and wait for all transactions, so the oldest server remains the
-- same. See internal/feed/horizon.go.
--
-- The transaction gets a shared advisory lock for each tenant, and then the lock with key
-- 0, which means that its tenants are complete. It never waits, since no transaction locks
-- them exclusively. The class of the locks is the table feed of this environment.

-- Keys of tenants are odd, so none is 0. Tenants with the same key delay each other.
-- +goose StatementBegin
create function tenant_lock_key(id uuid) returns int language sql immutable as $$
  select hashtext(id::text) | 1
$$;
-- +goose StatementEnd

-- It returns true, so that a statement can call it in a condition. Many tenants are not
-- announced: PostgreSQL has room for a limited number of locks.
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
