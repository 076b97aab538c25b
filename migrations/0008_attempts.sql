-- +goose Up

-- What is written for each delivery is kept small. The attempt that delivered
-- lies in the delivery's own row; only those that failed have rows of their
-- own. And rows that come by the thousand have no foreign keys, which look for
-- the other row once for each: whoever writes them holds that row, and what
-- deletes it deletes them.
alter table deliveries
  add column begun_at timestamptz, -- of the attempt that delivered
  add column address  text, -- dialled by it
  add column answer   bytea; -- the first 16 KB of what it was answered

update deliveries d
set begun_at = a.at, address = a.address, answer = a.answer
from attempts a
where a.hook_id = d.hook_id
and a.delivery_id = d.id
and a.number = d.attempt
and d.state = 'delivered';

alter table attempts rename to failed_attempts;
alter table failed_attempts
  drop constraint attempts_hook_id_delivery_id_fkey,
  drop constraint attempts_pkey,
  drop column id;
delete from failed_attempts a
using deliveries d
where d.hook_id = a.hook_id
and d.id = a.delivery_id
and d.attempt = a.number
and d.state = 'delivered';
alter table failed_attempts add primary key (hook_id, delivery_id, number);

alter table deliveries
  drop constraint deliveries_hook_id_fkey,
  add constraint delivered_by_an_attempt check (state <> 'delivered' or begun_at is not null and address is not null and answer is not null);
alter table events drop constraint events_tenant_id_fkey;
alter table feed drop constraint feed_tenant_id_fkey;
alter table feed alter column data type json using data::json; -- it is only handed on
drop index feed_xid_idx; -- of all tenants; those waited for are asked for one by one

-- The id of an event's delivery to a subscription, but for redeliveries: the
-- event's time and order in front, and otherwise of both.
create function delivery_id(event uuid, hook uuid) returns uuid language sql immutable strict as $$
  select (left(event::text, 18) || '8' || left(md5(event::text || hook::text), 15))::uuid
$$;
create index on deliveries (event_id) where redelivery;

create view attempts as
  select hook_id, delivery_id, number, at, address, status, failure, duration_ms, answer
  from failed_attempts
  union all
  select hook_id, id, attempt, begun_at, address, response_status, null, response_duration_ms, answer
  from deliveries
  where state = 'delivered';

-- The deliveries first: who records an attempt holds its delivery, so that it
-- is seen here or finds the delivery gone.
-- +goose StatementBegin
create function hook_gone() returns trigger language plpgsql as $$
begin
  delete from deliveries where hook_id = old.id;
  delete from failed_attempts where hook_id = old.id;
  return null;
end $$;
-- +goose StatementEnd
create trigger hook_gone after delete on hooks for each row execute function hook_gone();

-- +goose StatementBegin
create function tenant_gone() returns trigger language plpgsql as $$
begin
  delete from events where tenant_id = old.id;
  delete from feed where tenant_id = old.id;
  return null;
end $$;
-- +goose StatementEnd
create trigger tenant_gone after delete on tenants for each row execute function tenant_gone();

-- +goose Down
drop trigger tenant_gone on tenants;
drop trigger hook_gone on hooks;
drop function tenant_gone, hook_gone;
drop view attempts;
drop index deliveries_event_id_idx;
drop function delivery_id;
create index on feed (xid);
alter table feed alter column data type jsonb using data::jsonb;
alter table feed add foreign key (tenant_id) references tenants on delete cascade;
alter table events add foreign key (tenant_id) references tenants on delete cascade;
alter table deliveries add foreign key (hook_id) references hooks on delete cascade;
alter table failed_attempts rename to attempts;
alter table attempts
  drop constraint failed_attempts_pkey,
  add column id uuid;
insert into attempts (hook_id, delivery_id, number, at, address, status, duration_ms, answer)
select hook_id, id, attempt, begun_at, address, response_status, response_duration_ms, answer
from deliveries
where state = 'delivered';
update attempts set id = gen_random_uuid();
alter table attempts
  alter column id set not null,
  add primary key (delivery_id, number),
  add foreign key (hook_id, delivery_id) references deliveries on delete cascade;
alter table deliveries
  drop constraint delivered_by_an_attempt,
  drop column begun_at,
  drop column address,
  drop column answer;
