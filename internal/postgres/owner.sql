-- Run in single-user mode, like access.sql, in the database understudy.

alter database understudy owner to understudy;

do $$
declare
  command text;
begin
  for command in
    select format('alter schema %I owner to understudy', nspname)
    from pg_namespace
    where nspowner = 10 and nspname !~ '^(pg_|information_schema$)'
    union all
    select format('alter %s %s owner to understudy',
      case relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' else 'table' end, oid::regclass)
    from pg_class
    where relowner = 10 and relnamespace::regnamespace::text !~ '^(pg_|information_schema$)' and relkind in ('r', 'p', 'v', 'm', 'S')
      -- The owner of a column's sequence is that of its table.
      and not (relkind = 'S' and exists (
        select from pg_depend
        where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype in ('a', 'i')
      ))
    union all
    select format('alter routine %s owner to understudy', oid::regprocedure)
    from pg_proc
    where proowner = 10 and pronamespace::regnamespace::text !~ '^(pg_|information_schema$)'
    union all
    select format('alter type %s owner to understudy', t.oid::regtype)
    from pg_type t
    left join pg_class c on c.oid = t.typrelid
    where typowner = 10 and typnamespace::regnamespace::text !~ '^(pg_|information_schema$)'
      and (typtype in ('d', 'e', 'r') or c.relkind = 'c')
  loop
    execute command;
  end loop;
end $$;
