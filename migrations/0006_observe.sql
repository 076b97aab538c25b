-- +goose Up

-- What happened to each tenant, in an order in which no late commit is missed:
-- by transaction first. See package feed.
create table feed (
  seq       bigint generated always as identity,
  xid       xid8 not null default pg_current_xact_id(),
  tenant_id uuid not null references tenants on delete cascade,
  at        timestamptz not null, -- tenant's time
  kind      text not null check (kind in ('state', 'call', 'delivery', 'expired')),
  event     text not null, -- subject or subject:action
  tx_id     text not null default '', -- '' = about no transaction
  data      jsonb not null
);
create index on feed (tenant_id, xid, seq);
create index on feed (xid); -- what is new, of all tenants

-- The calls of each tenant, secrets masked before they come here.
create table requests (
  tenant_id        uuid not null references tenants on delete cascade,
  seq              bigint generated always as identity,
  id               uuid not null, -- the answer's X-Request-Id
  at               timestamptz not null, -- tenant's time when the call came
  begun_at         timestamptz not null, -- the same in real time
  duration         interval not null,
  client_id        text not null, -- '' = an upload
  method           text not null,
  path             text not null,
  route            text not null, -- method and pattern
  status           integer not null, -- 0 = no answer
  tx_id            text not null,
  expired          boolean not null, -- the access token was
  faults           text[] not null,
  file             text not null, -- name announced or uploaded
  kind             text not null, -- the uploaded file's content type
  request_headers  jsonb not null,
  request_body     bytea not null, -- its first 64 KB; empty for an upload
  request_size     bigint not null,
  request_sha256   bytea, -- of an uploaded file
  response_headers jsonb not null,
  response_body    bytea not null, -- its first 64 KB
  response_size    bigint not null,
  size             bigint not null, -- what the row counts for in the tenant's bound
  primary key (tenant_id, seq) include (size)
);
create index on requests (tenant_id, id);
create index on requests (tenant_id, tx_id, seq) where tx_id <> '';

-- Faults that tests have ordered. Those of a tenant are asked in the order of
-- their ids, which is that of their making.
create table faults (
  id          uuid primary key,
  tenant_id   uuid not null references tenants on delete cascade,
  route       text not null,
  status      integer check (status between 200 and 599),
  body        text, -- JSON
  delay       interval not null default '0',
  dropped     boolean not null default false,
  times       bigint check (times > 0),
  every       bigint check (every > 0),
  probability double precision check (probability between 0 and 1),
  seed        text not null default '',
  created_at  timestamptz not null, -- tenant's time
  expires_at  timestamptz, -- tenant's time
  calls       bigint not null default 0, -- that came to this fault
  route_calls jsonb not null default '{}', -- the same by route
  acted       bigint not null default 0 -- calls on which it acted
);
create index on faults (tenant_id);

-- +goose Down
drop table faults, requests, feed;
