-- +goose Up

-- One row: what binds tokens, upload addresses and secrets to this environment.
create table environment (
  name       text primary key,
  root_key   bytea not null check (octet_length(root_key) = 32),
  key_check  bytea not null, -- tells whether a server holds the master key that the stored hashes were made with
  created_at timestamptz not null
);
create unique index environment_is_one on environment ((true));

create table tenants (
  id           uuid primary key,
  name         text not null unique check (name ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  clock_offset interval not null default '0', -- tenant's time less real time
  settings     jsonb not null default '{}',
  created_at   timestamptz not null
);

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

create table api_keys (
  hash       bytea primary key check (octet_length(hash) = 32),
  tenant_id  uuid not null references tenants on delete cascade,
  created_at timestamptz not null
);
create index on api_keys (tenant_id);

-- A refresh token that was used at least once: its family, and how far the
-- family has come. An unused token has no row; its signature is enough.
create table refresh_families (
  id         uuid primary key,
  client_id  text not null references clients on delete cascade,
  generation integer not null check (generation > 0),
  rotated_at timestamptz not null, -- tenant's time
  revoked_at timestamptz
);
create index on refresh_families (client_id);

-- +goose Down
drop table refresh_families, api_keys, clients, tenants, environment;
