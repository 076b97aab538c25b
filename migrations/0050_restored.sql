-- +goose Up

-- Entries of the feed are in the order of the transactions that wrote them. In another
-- PostgreSQL, into which a dump is restored, the ids of transactions may be lower than
-- those of the entries. A server that starts then replaces this function by one that adds
-- a number to the ids, so that new entries come after the restored ones and cursors from
-- before remain valid. See internal/storage/restored.go.
-- +goose StatementBegin
create function feed_position(transaction xid8) returns xid8 language sql stable as $$
  select transaction
$$;
-- +goose StatementEnd
alter table feed alter column xid set default feed_position(pg_current_xact_id());
alter table calls alter column xid set default feed_position(pg_current_xact_id());
alter table attempt_batches alter column xid set default feed_position(pg_current_xact_id());

-- The newest position of all entries.
-- +goose StatementBegin
create function newest_feed_position() returns xid8 language sql stable as $$
  select coalesce(max(newest.xid::text::bigint), 0)::text::xid8
  from (
    select id from tenants
    union all
    values ('00000000-0000-0000-0000-000000000000'::uuid) -- of the calls that belong to no tenant
  ) tenant
  cross join lateral (
    (select xid from calls where tenant_id = tenant.id order by xid desc, seq desc limit 1)
    union all
    (select xid from feed where tenant_id = tenant.id order by xid desc, seq desc limit 1)
    union all
    (select xid from attempt_batches where tenant_id = tenant.id order by xid desc limit 1)
  ) newest
$$;
-- +goose StatementEnd

-- +goose Down
alter table feed alter column xid set default pg_current_xact_id();
alter table calls alter column xid set default pg_current_xact_id();
alter table attempt_batches alter column xid set default pg_current_xact_id();
drop function newest_feed_position, feed_position;
