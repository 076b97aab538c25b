-- +goose NO TRANSACTION
-- +goose Up

-- For lists of submissions. Submissions that a server of the release before ends have
-- no company.
alter table submissions
  add column if not exists company text not null default '', -- name of the insured, up to 200 characters
  add column if not exists search text; -- file name and company in lower case

-- +goose StatementBegin
create or replace function submission_search() returns trigger language plpgsql as $$
begin
  new.search := lower(new.filename);
  return new;
end $$;
-- +goose StatementEnd

-- For servers of the release before, which do not know the column.
create or replace trigger submission_search before insert on submissions
  for each row when (new.search is null)
  execute function submission_search();

update submissions s
set company = named.company, search = lower(concat_ws(E'\n', s.filename, named.company))
from (
  select tx_id, coalesce(left(jsonb_path_query_first(extraction, '$.facts[*] ? (@.field == "company_name" && @.text != "")') ->> 'text', 200), '') as company
  from submissions
  where search is null
) named
where s.tx_id = named.tx_id;

-- Real time; null = written by a server of an earlier release.
alter table submission_timeline add column if not exists real_at timestamptz;

create index if not exists submissions_listed on submissions (tenant_id, created_at desc, tx_id desc) include (status, search);
drop index if exists submissions_tenant_id_created_at_idx;

-- +goose Down
alter table submission_timeline drop column real_at;
create index submissions_tenant_id_created_at_idx on submissions (tenant_id, created_at);
drop index submissions_listed;
drop trigger submission_search on submissions;
drop function submission_search;
alter table submissions
  drop column search,
  drop column company;
