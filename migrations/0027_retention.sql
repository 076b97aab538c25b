-- +goose Up

-- What is kept for a limited time is measured in real time, since a tenant's clock can
-- be moved. The defaults are for existing rows and for the rows of older servers.
alter table submissions
  add column aged_from timestamptz not null default now(); -- real time of the creation or the last upload; after the end, of the final state
create index submissions_untriggered on submissions (aged_from, tx_id) where status = 'Pending';
create index submissions_ended on submissions (aged_from, tx_id) where status in ('Completed', 'Failed');

-- The tx_id of a submission has 36 characters, that of a company submit more.
alter table reports
  add column saved_at timestamptz not null default now(); -- real time
create index reports_of_companies on reports (saved_at, tx_id) where length(tx_id) > 36;

alter table events
  add column tx_id text; -- the transaction that the data is about; '' = none; null = unknown, in events of older servers
create index events_of_transaction on events (tenant_id, tx_id) where tx_id is distinct from '';

alter table refresh_families
  add column used_at timestamptz not null default now(); -- real time of the last rotation
create index on refresh_families (used_at);

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
