-- +goose Up

-- Calls that cannot be attributed to a tenant have the tenant_id 0.
alter table calls
  add column reason text not null default '', -- why the call was refused or failed
  add column parts  jsonb;                    -- of a multipart request: [{"name","filename","content_type"}]

-- +goose Down
delete from calls where tenant_id = '00000000-0000-0000-0000-000000000000';
alter table calls
  drop column reason,
  drop column parts;
