-- +goose NO TRANSACTION
-- +goose Up

-- For claims, which find the tenants with submissions to be processed one after another.
create index if not exists submissions_claimable on submissions (tenant_id, due_at) where status = 'Started' and due_at is not null and not parked;

-- +goose Down
drop index submissions_claimable;
