-- +goose Up

-- What a tenant's tests have asked for in place of real work. The newest that
-- matches counts.
create table outcomes (
  id           bigint generated always as identity primary key,
  tenant_id    uuid not null references tenants on delete cascade,

  -- What it matches: all that is given must hold.
  filename     text, -- exact, or with * for any run of characters
  sha256       bytea check (octet_length(sha256) = 32),
  company_name text,

  status       text check (status in ('Completed', 'Failed', 'Review_required')), -- null = as it comes
  facts        jsonb, -- null, in these three, = not given
  options      jsonb,
  locations    jsonb,
  after        interval not null default '0', -- extra time before the end
  created_at   timestamptz not null,

  constraint matches_something check (num_nonnulls(filename, sha256, company_name) > 0),
  constraint one_for_each_match unique nulls not distinct (tenant_id, filename, sha256, company_name)
);

alter table submissions
  add column review          boolean not null default false, -- ended in Review_required, which only version 4 shows
  add column polls_per_state integer check (polls_per_state > 0), -- moved by status polls; null = by time
  add column polls           integer not null default 0, -- in this state
  add column postponed       interval not null default '0', -- by an outcome that was only known once the document was read
  drop constraint final_is_not_due,
  add constraint due_until_final check (
    case
      when status in ('Pending', 'Completed', 'Failed') then due_at is null
      else due_at is not null or polls_per_state is not null
    end
  ),
  add constraint review_is_complete check (not review or status = 'Completed');

-- For a tenant's clock, which moves what is due, and looks for what comes next.
create index submissions_due_of_tenant on submissions (tenant_id, due_at) where due_at is not null;

-- +goose Down
drop index submissions_due_of_tenant;
alter table submissions
  drop constraint review_is_complete,
  drop constraint due_until_final,
  drop column review,
  drop column polls_per_state,
  drop column polls,
  drop column postponed,
  add constraint final_is_not_due
    check ((status in ('Pending', 'Completed', 'Failed')) = (due_at is null));
drop table outcomes;
