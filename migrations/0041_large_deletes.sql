-- +goose Up

-- auth: lock_tenants, but without waiting. It leaves out tenants that are being deleted
-- or reset, for statements that serve all tenants.
-- +goose StatementBegin
create function lock_free_tenants(ids uuid[])
returns table (id uuid, clock_offset interval, frozen_at timestamptz, settings jsonb) rows 10 language plpgsql as $$
begin
  return query
    select t.id, t.clock_offset, t.frozen_at, t.settings
    from tenants t
    where t.id = any(ids)
    order by t.id
    for key share skip locked;
end $$;
-- +goose StatementEnd

-- Deleted subscriptions whose deliveries are not deleted yet. There can be too many for
-- one transaction: the dispatcher deletes them in batches, and then the row.
create table deleted_hooks (
  id        uuid primary key,
  tenant_id uuid not null
);

drop trigger delete_deliveries_of_hook on hooks; -- its function stays for the reversal
-- +goose StatementBegin
create function mark_deleted_hook() returns trigger language plpgsql as $$
begin
  insert into deleted_hooks (id, tenant_id)
  values (old.id, old.tenant_id)
  on conflict do nothing;
  return null;
end $$;
-- +goose StatementEnd
create trigger mark_deleted_hook after delete on hooks
  for each row execute function mark_deleted_hook();

-- +goose Down
drop trigger mark_deleted_hook on hooks;
drop function mark_deleted_hook;
delete from failed_attempts where hook_id in (select id from deleted_hooks);
delete from deliveries where hook_id in (select id from deleted_hooks);
drop table deleted_hooks;
create trigger delete_deliveries_of_hook after delete on hooks
  for each row execute function delete_deliveries_of_hook();

drop function lock_free_tenants;
