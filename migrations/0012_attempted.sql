-- +goose Up

-- What a tenant's feed tells of an attempt.
create type told as (
  at          timestamptz, -- tenant's time
  delivery_id uuid, -- X-Delivery-Id
  request_id  uuid,
  hook_id     uuid,
  event       text,
  url         text, -- sent to
  attempt     integer,
  status      integer, -- 0 = no answer
  failure     text, -- class of error; '' = an answer that is none
  duration_ms integer
);

-- The same as the feed shows it.
create function shown(attempt told) returns json language sql immutable as $$
  select json_build_object(
    'delivery_id', attempt.delivery_id, 'request_id', attempt.request_id, 'hook_id', attempt.hook_id, 'event', attempt.event,
    'url', attempt.url, 'attempt', attempt.attempt, 'status', attempt.status, 'failure', attempt.failure, 'duration_ms', attempt.duration_ms
  )
$$;

-- The attempts of a tenant that were recorded together: a row for all of them.
create table attempted (
  tenant_id uuid not null,
  xid       xid8 not null default pg_current_xact_id(), -- the order of the feed; in it, that of the array
  entries   integer not null, -- length of the array, known without reading it
  attempts  told[] not null,
  primary key (tenant_id, xid)
);
alter table attempted alter attempts set storage external; -- packing a long one takes longer than all else

insert into attempted
select
  tenant_id, xid, count(*),
  array_agg((
    at, data ->> 'delivery_id', data ->> 'request_id', data ->> 'hook_id', data ->> 'event', data ->> 'url',
    data ->> 'attempt', data ->> 'status', data ->> 'failure', data ->> 'duration_ms'
  )::told order by seq)
from feed
where kind = 'delivery'
group by tenant_id, xid;
delete from feed where kind = 'delivery';
alter table feed
  drop constraint feed_kind_check,
  add constraint feed_kind_check check (kind in ('state', 'expired'));

-- An attempt is given its JSON only when it is shown: all of a tenant may have
-- to be put in order for a page of them.
drop view happened;
create view happened as
  select xid, seq, tenant_id, at, kind, event, tx_id, data, null::told as attempt
  from feed
  union all
  select xid, seq, tenant_id, at, 'call'::text, 'call'::text, tx_id,
    jsonb_strip_nulls(jsonb_build_object(
      'request_id', id, 'method', method, 'path', path, 'route', route, 'status', status, 'faults', nullif(to_jsonb(faults), '[]')
    ))::json,
    null
  from requests
  union all
  select xid, place, tenant_id, at, 'delivery'::text, 'delivery'::text, ''::text, null,
    (at, delivery_id, request_id, hook_id, event, url, attempt, status, failure, duration_ms)::told
  from attempted
  cross join lateral unnest(attempts) with ordinality
    each (at, delivery_id, request_id, hook_id, event, url, attempt, status, failure, duration_ms, place);

-- +goose StatementBegin
create or replace function tenant_gone() returns trigger language plpgsql as $$
begin
  delete from events where tenant_id = old.id;
  delete from feed where tenant_id = old.id;
  delete from attempted where tenant_id = old.id;
  return null;
end $$;
-- +goose StatementEnd

-- The id of an event's delivery to a subscription, but for redeliveries: the
-- event's first half, which is its time and order, and a mixture of both, from
-- their bytes at a quarter of the cost of their texts. Only the half is relied on.
create or replace function delivery_id(event uuid, hook uuid) returns uuid language sql immutable strict as $$
  select encode(overlay(uuid_send(event) placing
    int8send(uuid_hash_extended(hook, uuid_hash_extended(event, 0)) & x'3fffffffffffffff'::bigint | x'8000000000000000'::bigint)
    from 9), 'hex')::uuid
$$;

-- +goose Down
create or replace function delivery_id(event uuid, hook uuid) returns uuid language sql immutable strict as $$
  select (left(event::text, 18) || '8' || left(md5(event::text || hook::text), 15))::uuid
$$;
-- +goose StatementBegin
create or replace function tenant_gone() returns trigger language plpgsql as $$
begin
  delete from events where tenant_id = old.id;
  delete from feed where tenant_id = old.id;
  return null;
end $$;
-- +goose StatementEnd
alter table feed
  drop constraint feed_kind_check,
  add constraint feed_kind_check check (kind in ('state', 'delivery', 'expired'));
insert into feed (xid, tenant_id, at, kind, event, data)
select xid, tenant_id, at, kind, event, shown(attempt)
from happened
where kind = 'delivery'
order by xid, seq;
drop view happened;
create view happened as
  select xid, seq, tenant_id, at, kind, event, tx_id, data
  from feed
  union all
  select xid, seq, tenant_id, at, 'call'::text, 'call'::text, tx_id,
    jsonb_strip_nulls(jsonb_build_object(
      'request_id', id, 'method', method, 'path', path, 'route', route, 'status', status, 'faults', nullif(to_jsonb(faults), '[]')
    ))::json
  from requests;
drop table attempted;
drop function shown;
drop type told;
