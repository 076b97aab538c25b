-- +goose Up

-- Who made a subscription. The console shows those of the API, and edits its own.
alter table hooks
  add column made_by text not null default 'api' constraint made_by_is_known check (made_by in ('api', 'console')),
  add column name    text not null default ''; -- empty = none; the API does not show it

-- +goose Down
alter table hooks
  drop column made_by,
  drop column name;
