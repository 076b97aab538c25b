-- +goose NO TRANSACTION
-- +goose Up

-- One statement each, so that calls can write between two builds. Reading calls do not
-- wait at all.
create index if not exists submissions_untriggered on submissions (aged_from, tx_id) where status = 'Pending';
create index if not exists submissions_ended on submissions (aged_from, tx_id) where status in ('Completed', 'Failed');

-- For the number and the size of a tenant's files, which quotas limit.
create index if not exists submissions_size on submissions (tenant_id) include (size);

-- The tx_id of a submission has 36 characters, that of a company submit more.
create index if not exists reports_of_companies on reports (saved_at, tx_id) where length(tx_id) > 36;

create index if not exists events_of_transaction on events (tenant_id, tx_id) where tx_id <> '';
create index if not exists events_of_older_servers on events (tenant_id) where tx_id is null;

create index if not exists refresh_families_used_at on refresh_families (used_at);

-- +goose Down
drop index refresh_families_used_at;
drop index events_of_older_servers;
drop index events_of_transaction;
drop index reports_of_companies;
drop index submissions_size;
drop index submissions_ended;
drop index submissions_untriggered;
