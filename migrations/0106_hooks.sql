-- +goose Up

create table hooks (
  id         uuid primary key,
  tenant_id  uuid not null references tenants on delete cascade,
  owner_id   uuid not null, -- user_id of the client that created it
  made_by    text not null default 'api' constraint made_by_is_known check (made_by in ('api', 'console')), -- the console shows those of the API, and edits its own
  name       text not null default '', -- empty = none; the API does not show it
  active     boolean not null,

  -- It grows with each activation, so that earlier deliveries are not sent. It starts at a
  -- random number, because the ids of a tenant with an id seed recur after a reset: a delivery
  -- must differ from an earlier one with the same id.
  activation integer not null default (random() * 1e9)::int,

  events     text[] not null,
  url        text not null check (url <> ''),
  header     bytea, -- sealed; null = none
  secret     bytea, -- sealed; null = none
  created_at timestamptz not null, -- tenant's time, as updated_at
  updated_at timestamptz not null,

  constraint active_has_events check (not active or cardinality(events) > 0)
);
create index on hooks (tenant_id, created_at);

-- Deleted subscriptions whose deliveries are not deleted yet. There can be too many for
-- one transaction: the dispatcher deletes them in batches, and then the row.
create table deleted_hooks (
  id        uuid primary key,
  tenant_id uuid not null
);
-- +goose StatementBegin
create function mark_deleted_hook() returns trigger language plpgsql as $$
begin
  insert into deleted_hooks (id, tenant_id)
  values (old.id, old.tenant_id)
  on conflict do nothing;
  return null;
end $$;
-- +goose StatementEnd
create trigger mark_deleted_hook after delete on hooks
  for each row execute function mark_deleted_hook();

-- Thousands of events, deliveries and attempts can be written at a time. They have no foreign
-- keys, because these would look up the referenced row for each of them. Writers lock that row
-- instead, and the code that deletes it deletes the rows that refer to it.
create table events (
  tenant_id   uuid not null,
  id          uuid not null,
  event       text not null check (event <> ''), -- subject:action
  tx_id       text not null, -- the transaction that the data is about; '' = none
  body        bytea not null, -- the exact bytes that are signed and sent
  traceparent text, -- span of the transition or call that published it (W3C Trace Context); null = not traced
  created_at  timestamptz not null, -- tenant's time
  primary key (tenant_id, id)
);
create index events_of_transaction on events (tenant_id, tx_id) where tx_id <> '';

-- The delivery of an event to a subscription, which the API shows as a request of the hook. To
-- write little for each delivery, the attempt that succeeded is in this row, and only failed
-- attempts have their own rows.
create table deliveries (
  hook_id     uuid not null,
  id          uuid not null,
  tenant_id   uuid not null,
  activation  integer not null, -- the subscription's when the delivery was created
  event_id    uuid not null,
  event       text not null,
  redelivery  boolean not null default false,
  state       text not null default 'pending', -- collected = kept to be read, not sent
  attempt     integer not null default 0, -- attempts begun; rejects results of a holder whose lease was taken over
  due_at      timestamptz not null, -- real time of the next attempt
  lease_until timestamptz, -- real time
  faults      text[], -- of the next attempt or, once delivered, of the last; null = not selected yet
  held_by     uuid, -- fault that holds it until the next delivery of the subscription has been sent
  enqueued_at timestamptz not null, -- tenant's time, as created_at, updated_at and delivered_at
  created_at  timestamptz not null,
  updated_at  timestamptz not null,

  -- The response to the last attempt.
  response_status      integer,
  response_duration_ms integer,

  -- The attempt that succeeded.
  delivered_at timestamptz,
  address      text, -- dialled
  response     bytea, -- its first part

  -- URL, header and secret (both sealed) of the subscription when the delivery was collected.
  -- Readers see the delivery as it would have been sent, even if the subscription has changed.
  collected_url    text,
  collected_header bytea,
  collected_secret bytea,

  primary key (hook_id, id),
  constraint state_is_known check (state in ('pending', 'delivered', 'dead', 'dropped', 'collected')),
  constraint delivered_by_an_attempt
    check (state <> 'delivered' or delivered_at is not null and address is not null and response is not null)
) with (fillfactor = 50); -- room for a claimed row to stay on its page, so that no index changes
create index deliveries_due on deliveries (hook_id, due_at) where state = 'pending';
create index on deliveries (event_id) where redelivery;

-- For lists and numbers of deliveries that are neither pending nor delivered, which are few.
create index deliveries_unsuccessful on deliveries (hook_id, id) where state in ('dead', 'dropped', 'collected');
create index deliveries_by_state on deliveries (hook_id, state) where state in ('dead', 'dropped', 'collected');

-- +goose StatementBegin
create function copy_collected_request() returns trigger language plpgsql as $$
begin
  select url, header, secret
  into new.collected_url, new.collected_header, new.collected_secret
  from hooks
  where id = new.hook_id;
  return new;
end $$;
-- +goose StatementEnd
create trigger copy_collected_request before insert or update of state on deliveries
  for each row when (new.state = 'collected')
  execute function copy_collected_request();

-- The id of an event's delivery to a subscription, except for redeliveries: the first half
-- of the event's id, which is its time and order, and a hash of both ids. It is computed
-- from their bytes at a quarter of the cost of their texts. Only the first half is relied on.
create function delivery_id(event uuid, hook uuid) returns uuid language sql immutable strict as $$
  select encode(overlay(uuid_send(event) placing
    int8send(uuid_hash_extended(hook, uuid_hash_extended(event, 0)) & x'3fffffffffffffff'::bigint | x'8000000000000000'::bigint)
    from 9), 'hex')::uuid
$$;

create table failed_attempts (
  hook_id     uuid not null,
  delivery_id uuid not null,
  number      integer not null,
  at          timestamptz not null, -- tenant's time
  address     text not null, -- dialled; '' = none
  status      integer,
  failure     text, -- class of error; null = the receiver responded
  duration_ms integer not null,
  response    bytea not null, -- its first part
  faults      text[], -- null = none
  primary key (hook_id, delivery_id, number)
);

-- For the responses that a tenant's receivers have sent, which are limited in size. The
-- responses of most failed attempts are empty.
create index failed_attempts_responses on failed_attempts (hook_id, at) where octet_length(response) > 0;

create view attempts as
  select hook_id, delivery_id, number, at, address, status, failure, duration_ms, response, faults
  from failed_attempts
  union all
  select hook_id, id, attempt, delivered_at, address, response_status, null, response_duration_ms, response, faults
  from deliveries
  where state = 'delivered';

-- An attempt as the tenant's feed shows it.
create type recorded_attempt as (
  at          timestamptz, -- tenant's time
  delivery_id uuid, -- X-Delivery-Id
  request_id  uuid,
  hook_id     uuid,
  event       text,
  url         text, -- sent to
  attempt     integer,
  status      integer, -- 0 = no response
  failure     text, -- class of error; '' = the receiver responded
  duration_ms integer,
  faults      text[] -- null = none
);

-- The attempts of a tenant that were recorded together: one row for all of them.
create table attempt_batches (
  tenant_id     uuid not null,
  xid           xid8 not null default feed_position(pg_current_xact_id()), -- the order of the feed; within it, that of the array
  attempt_count integer not null, -- length of the array, known without reading it
  attempts      recorded_attempt[] not null,
  primary key (tenant_id, xid)
);
alter table attempt_batches alter attempts set storage external; -- compressing a long array takes longer than everything else

-- The events are deleted at the end of the transaction, because deliveries are locked before
-- events, and deleting the tenant also deletes its subscriptions.
-- +goose StatementBegin
create function delete_events_of_tenant() returns trigger language plpgsql as $$
begin
  delete from events where tenant_id = old.id;
  delete from attempt_batches where tenant_id = old.id;
  return null;
end $$;
-- +goose StatementEnd
create constraint trigger delete_events_of_tenant after delete on tenants
  deferrable initially deferred for each row execute function delete_events_of_tenant();

-- +goose Down
drop trigger delete_events_of_tenant on tenants;
drop function delete_events_of_tenant;
drop table attempt_batches;
drop type recorded_attempt;
drop view attempts;
drop table failed_attempts;
drop function delivery_id;
drop table deliveries;
drop function copy_collected_request;
drop table events;
drop table deleted_hooks, hooks;
drop function mark_deleted_hook;
