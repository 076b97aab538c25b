-- Run in single-user mode by the superuser that owns the cluster (oid 10), in the
-- database understudy. An empty line ends a statement.

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

alter database understudy owner to understudy;

do $$
declare
  command text;
begin
  for command in
    select format('alter schema %I owner to understudy', nspname)
    from pg_namespace
    where nspowner = 10 and oid >= 16384 and nspname !~ '^pg_'
    union all
    select format('alter %s %s owner to understudy',
      case relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' else 'table' end, oid::regclass)
    from pg_class
    where relowner = 10 and oid >= 16384 and relkind in ('r', 'p', 'v', 'm', 'S')
      -- The owner of a column's sequence is that of its table.
      and not (relkind = 'S' and exists (
        select from pg_depend
        where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype in ('a', 'i')
      ))
    union all
    select format('alter routine %s owner to understudy', oid::regprocedure)
    from pg_proc
    where proowner = 10 and oid >= 16384
    union all
    select format('alter type %s owner to understudy', t.oid::regtype)
    from pg_type t
    left join pg_class c on c.oid = t.typrelid
    where typowner = 10 and t.oid >= 16384 and (typtype in ('d', 'e', 'r') or c.relkind = 'c')
  loop
    execute command;
  end loop;
end $$;
