-- +goose Up

-- What is kept for a limited time is measured in real time, since a tenant's clock can
-- be moved. The defaults are for existing rows and for the rows of older servers.
alter table submissions
  add column aged_from timestamptz not null default now(); -- real time of the creation or the last upload; after the end, of the final state

alter table reports
  add column saved_at timestamptz not null default now(); -- real time

alter table events
  add column tx_id text; -- the transaction that the data is about; '' = none; null = unknown, in events of older servers

alter table refresh_families
  add column used_at timestamptz not null default now(); -- real time of the last rotation

-- Real time at which a server first found it expired by the tenant's clock; null = not yet.
alter table old_secrets
  add column found_expired_at timestamptz;
alter table faults
  add column found_expired_at timestamptz;

alter table object_store
  add column collected_at timestamptz; -- real time at which orphans were last looked for; null = never

-- +goose Down
alter table object_store drop column collected_at;
alter table faults drop column found_expired_at;
alter table old_secrets drop column found_expired_at;
alter table refresh_families drop column used_at;
alter table events drop column tx_id;
alter table reports drop column saved_at;
alter table submissions drop column aged_from;
