-- +goose Up

-- The calls by X-Request-Id. These ids are in the order of time, so the index is dense.
create index calls_by_id on calls (tenant_id, id);

-- The upload URLs that can still be used, by the time at which they expire.
create index submissions_awaiting_upload on submissions (tenant_id, upload_expires_at, tx_id)
  where status = 'Pending' and object_key is null;

-- The company name in the match of the outcome that determined the response; '' = none, or
-- the call was recorded before this column was added.
alter table calls add column outcome_company text not null default '';

-- +goose Down
alter table calls drop column outcome_company;
drop index submissions_awaiting_upload, calls_by_id;
