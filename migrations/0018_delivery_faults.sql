-- +goose Up

-- A fault acts on calls and has a route, or it acts on webhook deliveries and has a
-- pattern of events.
alter table faults
  alter column route set default '',
  add column delivery        text not null default '', -- subject, subject:action or *
  add column duplicate       integer not null default 0 check (duplicate >= 0), -- further deliveries of the same event
  add column reorder         boolean not null default false, -- swap with the next delivery of the subscription
  add column wrong_signature boolean not null default false,
  add column truncated       boolean not null default false,
  add constraint route_or_delivery check ((route = '') <> (delivery = '')),
  add constraint status_of_calls check (delivery = '' or status is null and body is null),
  add constraint deliveries_only check (
    delivery <> '' or duplicate = 0 and not reorder and not wrong_signature and not truncated
  );

alter table deliveries
  add column faults  text[], -- of the next attempt or, once delivered, of the last; null = not selected yet
  add column held_by uuid;   -- fault that holds it until the next delivery of the subscription has been sent
alter table failed_attempts add column faults text[]; -- null = none
create or replace view attempts as
  select hook_id, delivery_id, number, at, address, status, failure, duration_ms, response, faults
  from failed_attempts
  union all
  select hook_id, id, attempt, delivered_at, address, response_status, null, response_duration_ms, response, faults
  from deliveries
  where state = 'delivered';

alter type recorded_attempt add attribute faults text[]; -- null = none

-- +goose Down
alter type recorded_attempt drop attribute faults;
drop view attempts;
create view attempts as
  select hook_id, delivery_id, number, at, address, status, failure, duration_ms, response
  from failed_attempts
  union all
  select hook_id, id, attempt, delivered_at, address, response_status, null, response_duration_ms, response
  from deliveries
  where state = 'delivered';
alter table failed_attempts drop column faults;
alter table deliveries
  drop column faults,
  drop column held_by;
delete from faults where delivery <> '';
alter table faults
  drop constraint route_or_delivery,
  drop constraint status_of_calls,
  drop constraint deliveries_only,
  alter column route drop default,
  drop column delivery,
  drop column duplicate,
  drop column reorder,
  drop column wrong_signature,
  drop column truncated;
