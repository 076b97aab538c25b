-- +goose Up

-- The calls of the control API that change something.
create table audit_entries (
  id             bigint generated always as identity primary key,
  at             timestamptz not null, -- real time
  token          text not null, -- name of the control token; '' = calls need none
  remote_address text not null,
  request_id     text not null,
  method         text not null,
  path           text not null,
  tenant         text not null, -- name in the path; '' = none
  status         int -- null until the call has ended
);
create index on audit_entries (tenant, id);

-- +goose Down
drop table audit_entries;
