-- +goose Up

-- As before, but in the order in which all take deliveries: so whoever drops a
-- subscription and whoever records for it never wait for each other.
-- +goose StatementBegin
create or replace function hook_gone() returns trigger language plpgsql as $$
begin
  perform from deliveries where hook_id = old.id order by id for update;
  delete from deliveries where hook_id = old.id;
  delete from failed_attempts where hook_id = old.id;
  return null;
end $$;
-- +goose StatementEnd

-- At the end of the transaction: a tenant's subscriptions go with it, but what
-- is theirs only after, and deliveries are taken before events.
drop trigger tenant_gone on tenants;
create constraint trigger tenant_gone after delete on tenants
  deferrable initially deferred for each row execute function tenant_gone();

-- +goose Down
drop trigger tenant_gone on tenants;
create trigger tenant_gone after delete on tenants for each row execute function tenant_gone();
-- +goose StatementBegin
create or replace function hook_gone() returns trigger language plpgsql as $$
begin
  delete from deliveries where hook_id = old.id;
  delete from failed_attempts where hook_id = old.id;
  return null;
end $$;
-- +goose StatementEnd
