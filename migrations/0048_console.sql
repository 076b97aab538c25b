-- +goose Up

-- The calls by X-Request-Id. These ids are in the order of time, so the index is dense.
create index calls_by_id on calls (tenant_id, id);

-- +goose Down
drop index calls_by_id;
