-- +goose NO TRANSACTION
-- +goose Up

-- How often each operation of the API has returned each status to a tenant's clients.
-- The journal keeps only the newest calls.
create table if not exists operation_counts (
  tenant_id uuid not null references tenants on delete cascade,
  operation text not null, -- method and pattern, as calls.route
  status    integer not null, -- 0 = no response
  calls     bigint not null,
  first_at  timestamptz not null, -- tenant's time, as last_at
  last_at   timestamptz not null,
  primary key (tenant_id, operation, status)
);
insert into operation_counts (tenant_id, operation, status, calls, first_at, last_at)
select tenant_id, route, status, count(*), min(at), max(at)
from calls
where route <> ''
and tenant_id in (select id from tenants)
group by tenant_id, route, status
on conflict do nothing;

-- Whether an outcome determined the response.
alter table calls add column if not exists outcome boolean not null default false;

-- For the number of submissions by state and by time, and the size of their files. It
-- replaces submissions_size.
create index if not exists submissions_by_state on submissions (tenant_id, status, finished_at) include (size, review);
drop index if exists submissions_size;

-- Deliveries that are neither pending nor delivered, which are few.
create index if not exists deliveries_by_state on deliveries (hook_id, state) where state in ('dead', 'dropped', 'collected');

-- +goose Down
drop index deliveries_by_state;
create index submissions_size on submissions (tenant_id) include (size);
drop index submissions_by_state;
alter table calls drop column outcome;
drop table operation_counts;
