-- +goose Up

-- One row: the keys that bind tokens, upload URLs and secrets to this environment.
create table environment (
  name       text primary key,
  root_key   bytea not null check (octet_length(root_key) = 32),
  key_check  bytea not null, -- identifies the first master key, which the stored hashes are made with, without revealing it
  created_at timestamptz not null
);
create unique index environment_is_one on environment ((true));

-- The valid master keys: usually one, two while the master key is rotated. Each row has
-- the keys that protect stored secrets, encrypted with the row's master key. A server
-- adds the first row when it starts.
create table master_keys (
  key_check  bytea primary key, -- identifies the master key without revealing it
  keys       bytea not null,
  created_at timestamptz not null
);

create table tenants (
  id           uuid primary key,
  name         text not null unique check (name ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  clock_offset interval not null default '0', -- tenant's time minus real time
  frozen_at    timestamptz, -- real time at which the clock was frozen; null = it runs
  settings     jsonb not null default '{}',
  created_at   timestamptz not null
);

-- lock_tenants returns those of the tenants that exist, and locks them, so that none is deleted
-- before the transaction ends. One call replaces the foreign key checks of many rows.
-- +goose StatementBegin
create function lock_tenants(ids uuid[])
returns table (id uuid, clock_offset interval, frozen_at timestamptz, settings jsonb) rows 10 language plpgsql as $$
begin
  return query
    select t.id, t.clock_offset, t.frozen_at, t.settings
    from tenants t
    where t.id = any(ids)
    order by t.id
    for key share;
end $$;
-- +goose StatementEnd

-- lock_free_tenants is lock_tenants for statements that serve all tenants: it does not wait,
-- but leaves out tenants that are being deleted or reset.
-- +goose StatementBegin
create function lock_free_tenants(ids uuid[])
returns table (id uuid, clock_offset interval, frozen_at timestamptz, settings jsonb) rows 10 language plpgsql as $$
begin
  return query
    select t.id, t.clock_offset, t.frozen_at, t.settings
    from tenants t
    where t.id = any(ids)
    order by t.id
    for key share skip locked;
end $$;
-- +goose StatementEnd

create table clients (
  id          text primary key check (id <> ''),
  tenant_id   uuid not null references tenants on delete cascade,
  user_id     uuid not null unique,
  secret_hash bytea not null check (octet_length(secret_hash) = 32),
  first_name  text not null,
  last_name   text not null,
  permissions text[] not null,
  created_at  timestamptz not null,
  revoked_at  timestamptz
);
create index on clients (tenant_id);

-- Secrets that a rotation replaced. They work until their overlap ends.
create table old_secrets (
  client_id        text not null references clients on delete cascade,
  hash             bytea not null check (octet_length(hash) = 32),
  expires_at       timestamptz not null, -- tenant's time
  found_expired_at timestamptz, -- real time at which a server first found it expired by the tenant's clock; null = not yet
  primary key (client_id, hash)
);

create table api_keys (
  hash       bytea primary key check (octet_length(hash) = 32),
  id         uuid not null unique default gen_random_uuid(), -- names the key, which is a secret
  tenant_id  uuid not null references tenants on delete cascade,
  created_at timestamptz not null
);
create index on api_keys (tenant_id);

-- A refresh token that was used at least once: its family, and the newest generation of
-- the family. An unused token has no row, because its signature is enough.
create table refresh_families (
  id         uuid primary key,
  client_id  text not null references clients on delete cascade,
  generation integer not null check (generation > 0),
  rotated_at timestamptz not null, -- tenant's time
  revoked_at timestamptz,
  used_at    timestamptz not null -- real time of the last rotation
);
create index on refresh_families (client_id);
create index refresh_families_used_at on refresh_families (used_at);

-- The number of ids of each kind that have been assigned to a tenant with an id seed.
create table id_counters (
  tenant_id uuid not null references tenants on delete cascade,
  kind      text not null,
  given     bigint not null,
  primary key (tenant_id, kind)
);

-- The parts of seeds that servers have applied to tenants, so that no part is applied twice.
create table seed_items (
  tenant_id  uuid not null references tenants on delete cascade,
  kind       text not null, -- such as client or document
  name       text not null, -- of the part among those of its kind
  digest     bytea not null, -- keyed, of the part's content
  removed    boolean not null default false, -- the part is not in the newest seed
  applied_at timestamptz not null,
  primary key (tenant_id, kind, name)
);

-- +goose Down
drop table seed_items, id_counters, refresh_families, api_keys, old_secrets, clients;
drop function lock_free_tenants, lock_tenants;
drop table tenants, master_keys, environment;
