-- +goose Up

-- Faults that tests have requested. A tenant's faults are tried in the order of their ids,
-- which is the order of their creation. A fault acts on calls and has a route, or it acts on
-- webhook deliveries and has a pattern of events.
create table faults (
  id               uuid primary key,
  tenant_id        uuid not null references tenants on delete cascade,
  route            text not null default '',
  delivery         text not null default '', -- subject, subject:action or *
  status           integer check (status between 200 and 599),
  body             text, -- JSON
  delay            interval not null default '0',
  dropped          boolean not null default false,
  duplicate        integer not null default 0 check (duplicate >= 0), -- further deliveries of the same event
  reorder          boolean not null default false, -- swap with the next delivery of the subscription
  wrong_signature  boolean not null default false,
  truncated        boolean not null default false,
  times            bigint check (times > 0),
  every            bigint check (every > 0),
  probability      double precision check (probability between 0 and 1),
  seed             text not null default '',
  created_at       timestamptz not null, -- tenant's time
  expires_at       timestamptz, -- tenant's time
  found_expired_at timestamptz, -- real time at which a server first found it expired by the tenant's clock; null = not yet
  calls            bigint not null default 0, -- calls or deliveries that matched
  route_calls      jsonb not null default '{}', -- of these, the calls by route
  acted            bigint not null default 0, -- those on which it acted
  constraint route_or_delivery check ((route = '') <> (delivery = '')),
  constraint status_of_calls check (delivery = '' or status is null and body is null),
  constraint deliveries_only check (
    delivery <> '' or duplicate = 0 and not reorder and not wrong_signature and not truncated
  )
);
create index on faults (tenant_id);

-- +goose Down
drop table faults;
