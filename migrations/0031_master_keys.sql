-- +goose Up

-- The valid master keys: usually one, two while the master key is rotated. Each row has
-- the keys that protect stored secrets, encrypted with the row's master key. A server
-- adds the first row when it starts.
create table master_keys (
  key_check  bytea primary key, -- identifies the master key without revealing it
  keys       bytea not null,
  created_at timestamptz not null
);

-- +goose Down
drop table master_keys;
