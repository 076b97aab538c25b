-- +goose Up

-- The calls of each tenant, in batches: each array has an element for each call. Writing and
-- deleting a row for each call would take longer than the call itself. PostgreSQL compresses
-- arrays of this size. A row has either authenticated or unauthenticated calls.
create table call_batches (
  tenant_id         uuid not null,
  xid               xid8 not null default feed_position(pg_current_xact_id()), -- the order of the feed
  part              integer not null, -- a transaction can write several batches of a tenant
  unauthenticated   boolean not null, -- attributed to the tenant although no credential was valid
  dropped           integer not null default 0, -- number of the first calls that have been trimmed
  call_count        integer not null, -- without the dropped ones; so is bytes
  bytes             bigint not null, -- that the calls count towards the tenant's limit
  first_id          uuid not null, -- the lowest and the highest of ids
  last_id           uuid not null,
  seqs              bigint[] not null, -- the order of the calls of a transaction
  ids               uuid[] not null, -- X-Request-Id of the responses
  times             timestamptz[] not null, -- tenant's time when the calls began
  begun_times       timestamptz[] not null, -- the same in real time
  durations         interval[] not null,
  client_ids        text[] not null, -- '' = an upload
  methods           text[] not null,
  paths             text[] not null,
  routes            text[] not null, -- method and pattern
  statuses          integer[] not null, -- 0 = no response
  reasons           text[] not null, -- why the call was refused or failed
  tx_ids            text[] not null,
  expired_tokens    boolean[] not null,
  token_times       timestamptz[] not null, -- tenant's time until which the token that was issued is valid
  fault_lists       text[] not null, -- ids, separated by commas
  outcomes          boolean[] not null, -- an outcome determined the response
  outcome_companies text[] not null, -- company name in the match of that outcome; '' = none
  filenames         text[] not null, -- announced or uploaded
  content_types     text[] not null, -- of the uploaded file
  part_lists        text[] not null, -- of a multipart request: [{"name","filename","content_type"}]
  request_types     text[] not null, -- Content-Type of the request
  request_sizes     bigint[] not null,
  request_hashes    bytea[] not null, -- of an uploaded file
  response_sizes    bigint[] not null,
  hints             text[] not null, -- X-Understudy-Hint of the response
  sizes             bigint[] not null, -- bytes that each call counts towards the tenant's limit
  request_headers   text[] not null, -- JSON, as response_headers
  request_bodies    bytea[] not null, -- the first 64 KB of each; empty for an upload
  response_headers  text[] not null,
  response_bodies   bytea[] not null, -- the first 64 KB of each
  primary key (tenant_id, xid, part) include (unauthenticated, call_count, bytes)
);

-- The calls by X-Request-Id. Most ids are in the order of time, so few batches contain an id
-- between their first and their last one.
create index call_batches_by_id on call_batches (tenant_id, last_id, first_id);

-- LZ4 compresses several times as fast as the default. Not every PostgreSQL is built with it.
-- +goose StatementBegin
do $$
declare
  name text;
begin
  for name in select attname from pg_attribute where attrelid = 'call_batches'::regclass and attnum > 0 and attstorage = 'x' loop
    execute format('alter table call_batches alter %I set compression lz4', name);
  end loop;
exception when feature_not_supported or syntax_error then
  null;
end $$;
-- +goose StatementEnd

-- Returns '' if the headers are not valid JSON.
-- +goose StatementBegin
create function header_value(headers text, name text) returns text language plpgsql immutable as $$
begin
  return coalesce(headers::json -> name ->> 0, '');
exception when data_exception then
  return '';
end $$;
-- +goose StatementEnd

lock table calls in exclusive mode;

insert into call_batches (
  tenant_id, xid, part, unauthenticated, call_count, bytes, first_id, last_id,
  seqs, ids, times, begun_times, durations, client_ids, methods, paths, routes,
  statuses, reasons, tx_ids, expired_tokens, token_times, fault_lists, outcomes, outcome_companies, filenames,
  content_types, part_lists, request_types, request_sizes, request_hashes, response_sizes, hints, sizes,
  request_headers, request_bodies, response_headers, response_bodies
)
select
  tenant_id, xid, row_number() over (partition by tenant_id, xid order by min(seq)), unauthenticated, count(*), sum(size),
  (array_agg(id order by id))[1], (array_agg(id order by id desc))[1],
  array_agg(seq order by seq),
  array_agg(id order by seq),
  array_agg(at order by seq),
  array_agg(begun_at order by seq),
  array_agg(duration order by seq),
  array_agg(client_id order by seq),
  array_agg(method order by seq),
  array_agg(path order by seq),
  array_agg(route order by seq),
  array_agg(status order by seq),
  array_agg(reason order by seq),
  array_agg(tx_id order by seq),
  array_agg(token_expired order by seq),
  array_agg(token_until order by seq),
  array_agg(array_to_string(faults, ',') order by seq),
  array_agg(outcome order by seq),
  array_agg(outcome_company order by seq),
  array_agg(filename order by seq),
  array_agg(content_type order by seq),
  array_agg(parts::text order by seq),
  array_agg(header_value(request_headers, 'Content-Type') order by seq),
  array_agg(request_size order by seq),
  array_agg(request_sha256 order by seq),
  array_agg(response_size order by seq),
  array_agg(header_value(response_headers, 'X-Understudy-Hint') order by seq),
  array_agg(size order by seq),
  array_agg(request_headers order by seq),
  array_agg(request_body order by seq),
  array_agg(response_headers order by seq),
  array_agg(response_body order by seq)
from (
  select *, div(sum(size) over (partition by tenant_id, xid, unauthenticated order by seq), 250000) as batch
  from calls
) numbered
group by tenant_id, xid, unauthenticated, batch;

drop table calls;
update schema_requirements set oldest_server = 122; -- servers of the previous release use the view below

-- +goose StatementBegin
create or replace function delete_calls_of_tenant() returns trigger language plpgsql as $$
begin
  delete from call_batches where tenant_id = old.id;
  return null;
end $$;
-- +goose StatementEnd

-- Each call. Headers and bodies are decompressed once for each batch, and only by queries that
-- read them. A query that reads the calls after or before one must also have a condition on xid
-- alone, because a condition on xid and seq does not use the index.
create view calls as
select
  b.tenant_id, b.xid, c.seq, c.id, c.at, c.begun_at, c.duration, c.client_id, c.method, c.path, c.route, c.status, c.reason, c.tx_id,
  c.token_expired, c.token_until, b.unauthenticated, string_to_array(c.faults, ',') as faults, c.outcome, c.outcome_company,
  c.filename, c.content_type, c.parts::jsonb as parts, c.request_type,
  whole.request_headers[c.position] as request_headers, whole.request_bodies[c.position] as request_body, c.request_size, c.request_sha256,
  whole.response_headers[c.position] as response_headers, whole.response_bodies[c.position] as response_body, c.response_size, c.hint, c.size,
  b.part as batch_part, c.position as batch_position, b.first_id, b.last_id,
  b.ctid -- of the batch; servers of the previous release delete calls by it
from call_batches b
cross join lateral (
  select
    seqs, ids, times, begun_times, durations, client_ids, methods, paths, routes,
    statuses, reasons, tx_ids, expired_tokens, token_times, fault_lists, outcomes, outcome_companies, filenames,
    content_types, part_lists, request_types, request_sizes, request_hashes, response_sizes, hints, sizes,
    request_headers || '{}' as request_headers, request_bodies || '{}' as request_bodies, response_headers || '{}' as response_headers, response_bodies || '{}' as response_bodies
  offset 0
) whole
cross join lateral unnest(
    whole.seqs, whole.ids, whole.times, whole.begun_times, whole.durations, whole.client_ids, whole.methods, whole.paths, whole.routes,
    whole.statuses, whole.reasons, whole.tx_ids, whole.expired_tokens, whole.token_times, whole.fault_lists, whole.outcomes, whole.outcome_companies, whole.filenames,
    whole.content_types, whole.part_lists, whole.request_types, whole.request_sizes, whole.request_hashes, whole.response_sizes, whole.hints, whole.sizes
  ) with ordinality c (
    seq, id, at, begun_at, duration, client_id, method, path, route,
    status, reason, tx_id, token_expired, token_until, faults, outcome, outcome_company, filename,
    content_type, parts, request_type, request_size, request_sha256, response_size, hint, size, position
  )
where c.position > b.dropped;

-- Servers of the previous release write rows of calls, and delete the oldest ones or all of a tenant.
create sequence call_parts as integer cycle;

-- +goose StatementBegin
create function insert_call() returns trigger language plpgsql as $$
declare
  place integer := nextval('call_parts');
begin
  insert into call_batches (
    tenant_id, part, unauthenticated, call_count, bytes, first_id, last_id,
    seqs, ids, times, begun_times, durations, client_ids, methods, paths, routes,
    statuses, reasons, tx_ids, expired_tokens, token_times, fault_lists, outcomes, outcome_companies, filenames,
    content_types, part_lists, request_types, request_sizes, request_hashes, response_sizes, hints, sizes,
    request_headers, request_bodies, response_headers, response_bodies
  )
  values (
    new.tenant_id, place, coalesce(new.unauthenticated, false), 1, new.size, new.id, new.id,
    array[place], array[new.id], array[new.at], array[new.begun_at], array[new.duration], array[new.client_id],
    array[new.method], array[new.path], array[new.route], array[new.status], array[coalesce(new.reason, '')],
    array[new.tx_id], array[new.token_expired], array[new.token_until], array[array_to_string(new.faults, ',')],
    array[coalesce(new.outcome, false)], array[coalesce(new.outcome_company, '')], array[new.filename],
    array[new.content_type], array[new.parts::text], array[header_value(new.request_headers, 'Content-Type')],
    array[new.request_size], array[new.request_sha256], array[new.response_size],
    array[header_value(new.response_headers, 'X-Understudy-Hint')], array[new.size],
    array[new.request_headers], array[new.request_body], array[new.response_headers], array[new.response_body]
  );
  return new;
end $$;
-- +goose StatementEnd
create trigger insert_call instead of insert on calls
  for each row execute function insert_call();

-- A batch is deleted with its last call.
-- +goose StatementBegin
create function delete_call() returns trigger language plpgsql as $$
begin
  delete from call_batches
  where tenant_id = old.tenant_id
  and xid = old.xid
  and part = old.batch_part
  and cardinality(ids) = old.batch_position;
  return old;
end $$;
-- +goose StatementEnd
create trigger delete_call instead of delete on calls
  for each row execute function delete_call();

create or replace function newest_feed_position() returns xid8 language sql stable as $$
  select coalesce(max(newest.xid::text::bigint), 0)::text::xid8
  from (
    select id from tenants
    union all
    values ('00000000-0000-0000-0000-000000000000'::uuid) -- of the calls that belong to no tenant
  ) tenant
  cross join lateral (
    (select xid from call_batches where tenant_id = tenant.id order by xid desc limit 1)
    union all
    (select xid from feed where tenant_id = tenant.id order by xid desc, seq desc limit 1)
    union all
    (select xid from attempt_batches where tenant_id = tenant.id order by xid desc limit 1)
  ) newest
$$;

-- +goose Down
alter view calls rename to each_call;
drop trigger delete_calls_of_tenant on tenants;
drop function delete_calls_of_tenant;
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

insert into calls (
  tenant_id, xid, seq, id, at, begun_at, duration, client_id, method, path, route, status, reason, tx_id, token_expired, token_until,
  unauthenticated, faults, outcome, outcome_company, filename, content_type, parts, request_headers, request_body, request_size,
  request_sha256, response_headers, response_body, response_size, size
)
overriding system value
select
  tenant_id, xid, seq, id, at, begun_at, duration, client_id, method, path, route, status, reason, tx_id, token_expired, token_until,
  unauthenticated, faults, outcome, outcome_company, filename, content_type, parts, request_headers, request_body, request_size,
  request_sha256, response_headers, response_body, response_size, size
from each_call;
drop view each_call;
drop function insert_call, delete_call, header_value;
drop sequence call_parts;
create or replace function newest_feed_position() returns xid8 language sql stable as $$
  select coalesce(max(newest.xid::text::bigint), 0)::text::xid8
  from (
    select id from tenants
    union all
    values ('00000000-0000-0000-0000-000000000000'::uuid) -- of the calls that belong to no tenant
  ) tenant
  cross join lateral (
    (select xid from calls where tenant_id = tenant.id order by xid desc, seq desc limit 1)
    union all
    (select xid from feed where tenant_id = tenant.id order by xid desc, seq desc limit 1)
    union all
    (select xid from attempt_batches where tenant_id = tenant.id order by xid desc limit 1)
  ) newest
$$;

drop table call_batches;
