-- +goose Up

-- For the number and the size of a tenant's files, which quotas limit.
create index submissions_size on submissions (tenant_id) include (size);

-- +goose Down
drop index submissions_size;
