-- +goose Up

-- The calls of each tenant. Secrets are masked before they are written. Writing the journal
-- must add little time to the calls. It therefore has few indexes, and no foreign key, which
-- would look up the tenant for each row although the writer has locked it. Calls that cannot be
-- attributed to a tenant have the tenant_id 0. The feed reads its calls from here.
create table calls (
  tenant_id        uuid not null,
  xid              xid8 not null default feed_position(pg_current_xact_id()), -- the order of the feed
  seq              bigint generated always as identity,
  id               uuid not null, -- the response's X-Request-Id
  at               timestamptz not null, -- tenant's time when the call began
  begun_at         timestamptz not null, -- the same in real time
  duration         interval not null,
  client_id        text not null, -- '' = an upload
  method           text not null,
  path             text not null,
  route            text not null, -- method and pattern
  status           integer not null, -- 0 = no response
  reason           text not null default '', -- why the call was refused or failed
  tx_id            text not null,
  token_expired    boolean not null,
  token_until      timestamptz, -- tenant's time until which the token that was issued is valid
  unauthenticated  boolean not null default false, -- attributed to the tenant although no credential of it was valid
  faults           text[] not null,
  outcome          boolean not null default false, -- an outcome determined the response
  outcome_company  text not null default '', -- company name in the match of that outcome; '' = none
  filename         text not null, -- announced or uploaded
  content_type     text not null, -- of the uploaded file
  parts            jsonb, -- of a multipart request: [{"name","filename","content_type"}]
  request_headers  text not null, -- JSON, as response_headers
  request_body     bytea not null, -- its first 64 KB; empty for an upload
  request_size     bigint not null,
  request_sha256   bytea, -- of an uploaded file
  response_headers text not null,
  response_body    bytea not null, -- its first 64 KB
  response_size    bigint not null,
  size             bigint not null, -- bytes that the row counts towards the tenant's limit
  primary key (tenant_id, xid, seq) include (size)
);

-- The calls by X-Request-Id. These ids are in the order of time, so the index is dense.
create index calls_by_id on calls (tenant_id, id);

-- For example by a client id with a wrong secret. Anybody can make such calls, so the
-- journal keeps fewer of them.
create index calls_unauthenticated on calls (tenant_id, xid, seq) include (size) where unauthenticated;

-- +goose StatementBegin
create function delete_calls_of_tenant() returns trigger language plpgsql as $$
begin
  delete from calls where tenant_id = old.id;
  return null;
end $$;
-- +goose StatementEnd
create trigger delete_calls_of_tenant after delete on tenants
  for each row execute function delete_calls_of_tenant();

-- How often each operation of the API has returned each status to a tenant's clients.
-- The journal keeps only the newest calls.
create table operation_counts (
  tenant_id uuid not null references tenants on delete cascade,
  operation text not null, -- method and pattern, as calls.route
  status    integer not null, -- 0 = no response
  calls     bigint not null,
  first_at  timestamptz not null, -- tenant's time, as last_at
  last_at   timestamptz not null,
  primary key (tenant_id, operation, status)
);

-- +goose Down
drop table operation_counts;
drop trigger delete_calls_of_tenant on tenants;
drop function delete_calls_of_tenant;
drop table calls;
