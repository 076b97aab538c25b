-- +goose Up

create table hooks (
  id         uuid primary key,
  tenant_id  uuid not null references tenants on delete cascade,
  owner_id   uuid not null, -- user_id of the client that made it
  active     boolean not null,
  activation integer not null default 0, -- how often it was turned on: what was meant for an earlier time is not sent
  events     text[] not null,
  url        text not null check (url <> ''),
  header     bytea, -- sealed; null = none
  secret     bytea, -- sealed; null = none
  created_at timestamptz not null, -- tenant's time, as all times here but due_at and lease_until
  updated_at timestamptz not null,

  constraint active_has_events check (not active or cardinality(events) > 0)
);
create index on hooks (tenant_id, created_at);

create table events (
  tenant_id  uuid not null references tenants on delete cascade,
  id         uuid not null,
  event      text not null check (event <> ''), -- subject:action
  body       bytea not null, -- the exact bytes that are signed and sent
  created_at timestamptz not null,
  primary key (tenant_id, id)
);

-- An event on its way to a subscription: shown as a request of the hook. It
-- goes with its hook; its event is there as long as the tenant is.
create table deliveries (
  hook_id     uuid not null references hooks on delete cascade,
  id          uuid not null,
  tenant_id   uuid not null,
  activation  integer not null, -- the hook's, when the delivery was made
  event_id    uuid not null,
  event       text not null,
  redelivery  boolean not null default false,
  state       text not null default 'pending',
  attempt     integer not null default 0, -- attempts begun; fences off a holder that was taken over
  due_at      timestamptz not null, -- real time of the next attempt
  lease_until timestamptz, -- real time
  enqueued_at timestamptz not null,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,

  -- The last attempt's end.
  response_status      integer,
  response_duration_ms integer,

  primary key (hook_id, id),
  constraint state_is_known check (state in ('pending', 'delivered', 'dead', 'dropped'))
) with (fillfactor = 50); -- room for the claim to stay on the row's page, and so out of the indexes
create index deliveries_due on deliveries (hook_id, due_at) where state = 'pending';

-- One try to deliver, and what came of it.
create table attempts (
  hook_id     uuid not null,
  delivery_id uuid not null,
  number      integer not null,
  id          uuid not null, -- X-Delivery-Id
  at          timestamptz not null,
  address     text not null, -- dialled; empty when it did not come to that
  status      integer,
  failure     text, -- class of error; null = an answer that is none
  duration_ms integer not null,
  answer      bytea not null, -- the first 16 KB
  primary key (delivery_id, number),
  foreign key (hook_id, delivery_id) references deliveries on delete cascade
);

-- +goose Down
drop table attempts, deliveries, events, hooks;
