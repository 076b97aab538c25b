-- +goose Up

alter table tenants
  add column frozen_at timestamptz; -- real time at which the clock was frozen; null = it runs

drop function lock_tenants;
-- +goose StatementBegin
create function lock_tenants(ids uuid[])
returns table (id uuid, clock_offset interval, frozen_at timestamptz, settings jsonb) rows 10 language plpgsql as $$
begin
  return query
    select t.id, t.clock_offset, t.frozen_at, t.settings
    from tenants t
    where t.id = any(ids)
    order by t.id
    for key share;
end $$;
-- +goose StatementEnd

-- How many ids of each kind a tenant with an id seed has been given.
create table id_counters (
  tenant_id uuid not null references tenants on delete cascade,
  kind      text not null,
  given     bigint not null,
  primary key (tenant_id, kind)
);

-- The ids of a tenant with an id seed recur when it is reset. A random start makes
-- a delivery, which has the activation of its subscription, distinct from an earlier
-- one with the same id.
alter table hooks alter column activation set default (random() * 1e9)::int;

-- +goose Down
alter table hooks alter column activation set default 0;
drop table id_counters;

drop function lock_tenants;
-- +goose StatementBegin
create function lock_tenants(ids uuid[]) returns table (id uuid, clock_offset interval, settings jsonb) rows 10 language plpgsql as $$
begin
  return query
    select t.id, t.clock_offset, t.settings
    from tenants t
    where t.id = any(ids)
    order by t.id
    for key share;
end $$;
-- +goose StatementEnd
alter table tenants drop column frozen_at;
