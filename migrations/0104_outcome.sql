-- +goose Up

-- Results that a tenant's tests have preset instead of real processing. The newest outcome
-- that matches applies.
create table outcomes (
  id           bigint generated always as identity primary key,
  tenant_id    uuid not null references tenants on delete cascade,

  -- What it matches: everything that is set must match.
  filename     text, -- exact, or with * for any run of characters
  sha256       bytea check (octet_length(sha256) = 32),
  company_name text,

  status       text check (status in ('Completed', 'Failed', 'Review_required')), -- null = that of the processing
  facts        jsonb, -- null, here and in the next three = not set
  options      jsonb,
  locations    jsonb,
  packages     jsonb, -- by content
  raw          boolean not null default false, -- values need not have the form of their field
  after        interval not null default '0', -- extra time before the end
  created_at   timestamptz not null,

  -- The size of the values as text, so that it is known before they are read.
  bytes        bigint not null generated always as (
    coalesce(octet_length(facts::text), 0) + coalesce(octet_length(options::text), 0)
    + coalesce(octet_length(locations::text), 0) + coalesce(octet_length(packages::text), 0)
  ) stored,

  constraint matches_something check (num_nonnulls(filename, sha256, company_name) > 0),
  constraint one_for_each_match unique nulls not distinct (tenant_id, filename, sha256, company_name)
);

-- +goose Down
drop table outcomes;
