-- +goose Up

-- The journal is kept beside the calls, and must cost them little: a row, and
-- one index, for each; no look at the tenant's row, which the writer holds; and
-- nothing told twice: the feed takes its calls from here.
alter table requests
  drop constraint requests_tenant_id_fkey,
  drop constraint requests_pkey,
  add column xid xid8 not null default pg_current_xact_id(), -- the order of the feed
  add column token_until timestamptz, -- tenant's time until which the token that was issued is good
  alter column request_headers type text using request_headers::text, -- JSON
  alter column response_headers type text using response_headers::text;
drop index requests_tenant_id_id_idx, requests_tenant_id_tx_id_seq_idx;
alter table requests add primary key (tenant_id, xid, seq) include (size);

delete from feed where kind = 'call';
alter table feed
  drop constraint feed_kind_check,
  add constraint feed_kind_check check (kind in ('state', 'delivery', 'expired'));

-- All that happened to each tenant, in the order of the feed.
create view happened as
  select xid, seq, tenant_id, at, kind, event, tx_id, data::json as data
  from feed
  union all
  select xid, seq, tenant_id, at, 'call'::text, 'call'::text, tx_id,
    jsonb_strip_nulls(jsonb_build_object(
      'request_id', id, 'method', method, 'path', path, 'route', route, 'status', status, 'faults', nullif(to_jsonb(faults), '[]')
    ))::json
  from requests;

-- +goose StatementBegin
create function journal_gone() returns trigger language plpgsql as $$
begin
  delete from requests where tenant_id = old.id;
  return null;
end $$;
-- +goose StatementEnd
create trigger journal_gone after delete on tenants for each row execute function journal_gone();

-- +goose Down
drop trigger journal_gone on tenants;
drop function journal_gone;
drop view happened;
alter table feed
  drop constraint feed_kind_check,
  add constraint feed_kind_check check (kind in ('state', 'call', 'delivery', 'expired'));
alter table requests
  drop constraint requests_pkey,
  drop column xid,
  drop column token_until,
  alter column request_headers type jsonb using request_headers::jsonb,
  alter column response_headers type jsonb using response_headers::jsonb,
  add foreign key (tenant_id) references tenants on delete cascade,
  add primary key (tenant_id, seq) include (size);
create index on requests (tenant_id, id);
create index on requests (tenant_id, tx_id, seq) where tx_id <> '';
