-- +goose Up

-- Whether the call was attributed to the tenant although no credential of it was valid, for
-- example by a client id with a wrong secret. Anybody can make such calls, so the journal
-- keeps fewer of them.
alter table calls add column unauthenticated boolean not null default false;
create index calls_unauthenticated on calls (tenant_id, xid, seq) include (size) where unauthenticated;

-- +goose Down
drop index calls_unauthenticated;
alter table calls drop column unauthenticated;
