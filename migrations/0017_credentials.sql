-- +goose Up

-- API keys are named by an id, since the key itself is a secret.
alter table api_keys add column id uuid not null unique default gen_random_uuid();

-- Secrets that a rotation replaced. They work until their overlap ends.
create table old_secrets (
  client_id  text not null references clients on delete cascade,
  hash       bytea not null check (octet_length(hash) = 32),
  expires_at timestamptz not null, -- tenant's time
  primary key (client_id, hash)
);

-- +goose Down
drop table old_secrets;
alter table api_keys drop column id;
