-- +goose Up

-- The responses to inquiries for a report have long ends in common. A row of call_batches stores
-- each end once. Servers of the previous release do not write these columns.
alter table call_batches
  add response_ends bytea[] not null default '{}',
  add end_numbers integer[] not null default '{}'; -- for each response, the position of its end in response_ends, from 1 on; 0 = response_bodies has the whole body

-- +goose StatementBegin
do $$
begin
  alter table call_batches alter response_ends set compression lz4, alter end_numbers set compression lz4;
exception when feature_not_supported or syntax_error then
  null; -- as for the other columns
end $$;
-- +goose StatementEnd

create or replace view calls as
select
  b.tenant_id, b.xid, c.seq, c.id, c.at, c.begun_at, c.duration, c.client_id, c.method, c.path, c.route, c.status, c.reason, c.tx_id,
  c.token_expired, c.token_until, b.unauthenticated, string_to_array(c.faults, ',') as faults, c.outcome, c.outcome_company,
  c.filename, c.content_type, c.parts::jsonb as parts, c.request_type,
  whole.request_headers[c.position] as request_headers, whole.request_bodies[c.position] as request_body, c.request_size, c.request_sha256,
  whole.response_headers[c.position] as response_headers,
  whole.response_bodies[c.position] || coalesce(whole.response_ends[c.end_number], '') as response_body, c.response_size, c.hint, c.size,
  b.part as batch_part, c.position as batch_position, b.first_id, b.last_id,
  b.ctid
from call_batches b
cross join lateral (
  select
    seqs, ids, times, begun_times, durations, client_ids, methods, paths, routes,
    statuses, reasons, tx_ids, expired_tokens, token_times, fault_lists, outcomes, outcome_companies, filenames,
    content_types, part_lists, request_types, request_sizes, request_hashes, response_sizes, hints, sizes,
    request_headers || '{}' as request_headers, request_bodies || '{}' as request_bodies, response_headers || '{}' as response_headers, response_bodies || '{}' as response_bodies,
    response_ends || '{}' as response_ends, end_numbers
  offset 0
) whole
cross join lateral unnest(
    whole.seqs, whole.ids, whole.times, whole.begun_times, whole.durations, whole.client_ids, whole.methods, whole.paths, whole.routes,
    whole.statuses, whole.reasons, whole.tx_ids, whole.expired_tokens, whole.token_times, whole.fault_lists, whole.outcomes, whole.outcome_companies, whole.filenames,
    whole.content_types, whole.part_lists, whole.request_types, whole.request_sizes, whole.request_hashes, whole.response_sizes, whole.hints, whole.sizes,
    whole.end_numbers
  ) with ordinality c (
    seq, id, at, begun_at, duration, client_id, method, path, route,
    status, reason, tx_id, token_expired, token_until, faults, outcome, outcome_company, filename,
    content_type, parts, request_type, request_size, request_sha256, response_size, hint, size, end_number, position
  )
where c.position > b.dropped;

-- +goose Down
update call_batches b
set response_bodies = (
  select array_agg(body || coalesce(b.response_ends[end_number], '') order by position)
  from unnest(b.response_bodies, b.end_numbers) with ordinality c (body, end_number, position)
)
where cardinality(response_ends) > 0;

create or replace view calls as
select
  b.tenant_id, b.xid, c.seq, c.id, c.at, c.begun_at, c.duration, c.client_id, c.method, c.path, c.route, c.status, c.reason, c.tx_id,
  c.token_expired, c.token_until, b.unauthenticated, string_to_array(c.faults, ',') as faults, c.outcome, c.outcome_company,
  c.filename, c.content_type, c.parts::jsonb as parts, c.request_type,
  whole.request_headers[c.position] as request_headers, whole.request_bodies[c.position] as request_body, c.request_size, c.request_sha256,
  whole.response_headers[c.position] as response_headers, whole.response_bodies[c.position] as response_body, c.response_size, c.hint, c.size,
  b.part as batch_part, c.position as batch_position, b.first_id, b.last_id,
  b.ctid
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

alter table call_batches drop response_ends, drop end_numbers;
