-- +goose Up

-- A delivery that is kept to be read and is not sent.
alter table deliveries
  drop constraint state_is_known,
  add constraint state_is_known check (state in ('pending', 'delivered', 'dead', 'dropped', 'collected'));

-- +goose Down
update deliveries set state = 'dropped' where state = 'collected';
alter table deliveries
  drop constraint state_is_known,
  add constraint state_is_known check (state in ('pending', 'delivered', 'dead', 'dropped'));
