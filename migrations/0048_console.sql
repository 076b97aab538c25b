-- +goose Up

-- The calls by X-Request-Id. These ids are in the order of time, so the index is dense.
create index calls_by_id on calls (tenant_id, id);

-- The upload URLs that can still be used, by the time at which they expire.
create index submissions_awaiting_upload on submissions (tenant_id, upload_expires_at, tx_id)
  where status = 'Pending' and object_key is null;

-- +goose Down
drop index submissions_awaiting_upload, calls_by_id;
