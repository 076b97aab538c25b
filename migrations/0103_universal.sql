-- +goose Up

-- Times are in the tenant's time, except due_at, lease_until, store_away_since and aged_from,
-- which are in real time.
create table submissions (
  tx_id             uuid primary key,
  tenant_id         uuid not null references tenants on delete cascade,
  user_id           uuid not null,
  filename          text not null check (octet_length(filename) between 1 and 255),
  status            text not null default 'Pending',
  created_at        timestamptz not null,
  upload_expires_at timestamptz not null,

  -- The uploaded file. It is replaced as a whole until the trigger.
  object_key        text,
  size              bigint check (size > 0),
  sha256            bytea check (octet_length(sha256) = 32),
  uploaded_at       timestamptz,

  -- The waits and the pacing, fixed by the trigger.
  started_at        timestamptz, -- time of the trigger
  finished_at       timestamptz, -- time of the final state
  started_wait      interval,
  finished_wait     interval,
  postponed         interval not null default '0', -- by an outcome that matched only after the document had been read
  polls_per_state   integer check (polls_per_state > 0), -- status polls before the next state; null = the state changes with time
  polls_in_state    integer not null default 0,

  -- Processing.
  due_at            timestamptz, -- of the next step; null = none
  attempt           integer not null default 0, -- rejects results of a holder whose lease was taken over
  lease_until       timestamptz,
  open_attempts     integer not null default 0, -- attempts whose holder vanished, for example killed by the document
  crashes           integer not null default 0, -- worker processes that have crashed on the file
  store_away_since  timestamptz, -- null = the file could be read, or has not been needed yet
  parked            boolean not null default false, -- not processed until the object store is back
  traceparent       text, -- span of the trigger, in which processing continues (W3C Trace Context); null = not traced

  -- Results.
  failure           text,
  review            boolean not null default false, -- ended in Review_required, which only version 4 shows
  extraction        jsonb,
  c_report_id       text,
  l_report_id       text,

  -- For lists, searches and the limit on the age.
  company           text not null default '', -- name of the insured, up to 200 characters
  search            text not null, -- file name and company in lower case
  aged_from         timestamptz not null, -- the creation or the last upload; after the end, the final state

  constraint upload_is_whole
    check (num_nulls(object_key, size, sha256, uploaded_at) in (0, 4)),
  constraint status_is_known
    check (status in ('Pending', 'Submission_in_progress', 'Scheduled', 'Started', 'Completed', 'Failed')),
  constraint triggered_has_file_and_start
    check ((status = 'Pending') = (started_at is null) and (status = 'Pending' or object_key is not null)),
  constraint final_has_end
    check ((status in ('Completed', 'Failed')) = (finished_at is not null)),
  constraint due_until_final
    check (
      case
        when status in ('Pending', 'Completed', 'Failed') then due_at is null
        else due_at is not null or polls_per_state is not null
      end
    ),
  constraint parked_is_started
    check (not parked or (status = 'Started' and store_away_since is not null)),
  constraint completed_has_reports
    check ((status = 'Completed') = (c_report_id is not null) and num_nulls(c_report_id, l_report_id) <> 1),
  constraint review_is_complete
    check (not review or status = 'Completed'),
  constraint failed_has_reason
    check ((status = 'Failed') = (failure is not null))
);
create index submissions_due on submissions (due_at) where due_at is not null;

-- For a tenant's clock, which moves the due times and looks for the next one.
create index submissions_due_of_tenant on submissions (tenant_id, due_at) where due_at is not null;

-- For claims, which find the tenants with submissions to be processed one after another.
create index submissions_claimable on submissions (tenant_id, due_at) where status = 'Started' and due_at is not null and not parked;
create index submissions_held on submissions (tenant_id) where lease_until is not null;
create index submissions_parked on submissions (store_away_since) where parked;

-- For the deletion of old submissions.
create index submissions_untriggered on submissions (aged_from, tx_id) where status = 'Pending';
create index submissions_ended on submissions (aged_from, tx_id) where status in ('Completed', 'Failed');

create index submissions_listed on submissions (tenant_id, created_at desc, tx_id desc) include (status, search);

-- For the number of submissions by state and by time, and for the number and the size of a
-- tenant's files, which quotas limit.
create index submissions_by_state on submissions (tenant_id, status, finished_at) include (size, review);

-- The upload URLs that can still be used, by the time at which they expire.
create index submissions_awaiting_upload on submissions (tenant_id, upload_expires_at, tx_id)
  where status = 'Pending' and object_key is null;

-- Which state may follow which (service.md, "States and transitions").
-- +goose StatementBegin
create function check_submission_transition() returns trigger language plpgsql as $$
begin
  if (old.status, new.status) not in (
    ('Pending', 'Submission_in_progress'),
    ('Submission_in_progress', 'Scheduled'),
    ('Scheduled', 'Started'),
    ('Started', 'Completed'),
    ('Started', 'Failed')
  ) then
    raise exception 'submission %: % may not follow %', old.tx_id, new.status, old.status
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
-- +goose StatementEnd
create trigger check_submission_transition before update of status on submissions
  for each row when (old.status is distinct from new.status)
  execute function check_submission_transition();

-- When a submission reached each state; it reaches each state once.
create table submission_timeline (
  tx_id   uuid not null references submissions on delete cascade,
  status  text not null,
  at      timestamptz not null, -- tenant's time
  real_at timestamptz not null, -- the same in real time
  primary key (tx_id, status)
);

-- +goose Down
drop table submission_timeline, submissions;
drop function check_submission_transition;
