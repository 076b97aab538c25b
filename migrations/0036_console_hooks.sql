-- +goose Up

-- Who made a subscription. The console shows those of the API, and edits its own.
alter table hooks
  add column made_by text not null default 'api' constraint made_by_is_known check (made_by in ('api', 'console')),
  add column name    text not null default ''; -- empty = none; the API does not show it

-- For lists of deliveries in one of the rare states.
create index deliveries_unsuccessful on deliveries (hook_id, id) where state in ('dead', 'dropped', 'collected');

-- +goose Down
drop index deliveries_unsuccessful;
alter table hooks
  drop column made_by,
  drop column name;
