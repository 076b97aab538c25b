-- +goose Up

-- One row: the oldest server that works with this schema, by the number of the newest
-- migration that it knows. Older servers refuse to start. A migration that breaks
-- older servers sets the number of the one that prepared for it, and its reversal the
-- previous number.
create table schema_requirements (
  oldest_server bigint not null
);
create unique index schema_requirements_is_one on schema_requirements ((true));
insert into schema_requirements (oldest_server) values (110);

-- One row: the identity of the database, which the marker of its object store contains.
create table object_store (
  database_id  uuid not null,
  marked       boolean not null default false, -- the marker has been written
  collected_at timestamptz -- real time at which orphans were last looked for; null = never
);
create unique index object_store_is_one on object_store ((true));

-- The newest position of all entries of the feed. It is defined here and not beside
-- feed_position, because it reads tables that are created later.
create function newest_feed_position() returns xid8 language sql stable as $$
  select coalesce(max(newest.xid::text::bigint), 0)::text::xid8
  from (
    select id from tenants
    union all
    values ('00000000-0000-0000-0000-000000000000'::uuid) -- of the calls that belong to no tenant
  ) tenant
  cross join lateral (
    (select xid from calls where tenant_id = tenant.id order by xid desc, seq desc limit 1)
    union all
    (select xid from feed where tenant_id = tenant.id order by xid desc, seq desc limit 1)
    union all
    (select xid from attempt_batches where tenant_id = tenant.id order by xid desc limit 1)
  ) newest
$$;

-- +goose Down
drop function newest_feed_position;
drop table object_store, schema_requirements;
