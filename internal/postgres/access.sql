-- Run in single-user mode by the superuser that owns the cluster (oid 10). An empty
-- line ends a statement.

-- In clusters of older releases, understudy is that superuser.
do $$
begin
  if (select rolname from pg_roles where oid = 10) = 'understudy' then
    create role renaming superuser; -- a session cannot rename its own role
    set session authorization renaming;
    alter role understudy rename to understudy_superuser;
    set session authorization understudy_superuser;
    drop role renaming;
  end if;
  if not exists (select from pg_roles where rolname = 'understudy') then
    create role understudy;
  end if;
end $$;

alter role understudy login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password '@verifier';

-- It may exist.
set exit_on_error = off;

set log_min_messages = panic;

create database understudy owner understudy;
