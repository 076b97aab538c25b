-- Run in single-user mode by the superuser that owns the cluster (oid 10). An empty
-- line ends a statement.

do $$
begin
  if not exists (select from pg_roles where rolname = 'understudy') then
    create role understudy;
  end if;
end $$;

alter role understudy login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password '@verifier';

-- It may exist.
set exit_on_error = off;

set log_min_messages = panic;

create database understudy owner understudy;
