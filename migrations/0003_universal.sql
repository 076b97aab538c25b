-- +goose Up

create table submissions (
  tx_id             uuid primary key,
  tenant_id         uuid not null references tenants on delete cascade,
  user_id           uuid not null,
  filename          text not null check (octet_length(filename) between 1 and 255),
  status            text not null default 'Pending',
  created_at        timestamptz not null, -- tenant's time, as all times here but due_at and lease_until
  upload_expires_at timestamptz not null,

  -- The uploaded file. Replaced as a whole until the trigger.
  object_key        text,
  size              bigint check (size > 0),
  sha256            bytea check (octet_length(sha256) = 32),
  uploaded_at       timestamptz,

  -- Processing.
  started_at        timestamptz, -- the trigger's time
  finished_at       timestamptz, -- the time of the final state
  scheduled_wait    interval,    -- the waits before each step, fixed by the trigger
  started_wait      interval,
  finished_wait     interval,
  due_at            timestamptz, -- real time of the next step; null = none to come
  attempt           integer not null default 0, -- fences off a holder that was taken over
  lease_until       timestamptz, -- real time
  unfinished        integer not null default 0, -- attempts whose holder vanished, as when the document kills its reader
  failure           text,
  extraction        jsonb,
  c_report_id       text,
  l_report_id       text,

  constraint upload_is_whole
    check (num_nulls(object_key, size, sha256, uploaded_at) in (0, 4)),
  constraint status_is_known
    check (status in ('Pending', 'Submission_in_progress', 'Scheduled', 'Started', 'Completed', 'Failed')),
  constraint triggered_has_file_and_start
    check ((status = 'Pending') = (started_at is null) and (status = 'Pending' or object_key is not null)),
  constraint final_has_end
    check ((status in ('Completed', 'Failed')) = (finished_at is not null)),
  constraint final_is_not_due
    check ((status in ('Pending', 'Completed', 'Failed')) = (due_at is null)),
  constraint completed_has_reports
    check ((status = 'Completed') = (c_report_id is not null) and num_nulls(c_report_id, l_report_id) <> 1),
  constraint failed_has_reason
    check ((status = 'Failed') = (failure is not null))
);
create index on submissions (tenant_id, created_at);
create index submissions_due on submissions (due_at) where due_at is not null;
create index submissions_held on submissions (tenant_id) where lease_until is not null;

-- When a submission reached each state; a state is reached once.
create table submission_timeline (
  tx_id  uuid not null references submissions on delete cascade,
  status text not null,
  at     timestamptz not null,
  primary key (tx_id, status)
);

-- Which state may follow which (service.md, "States and transitions").
-- +goose StatementBegin
create function submission_moves() returns trigger language plpgsql as $$
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
create trigger submission_moves before update of status on submissions
  for each row when (old.status is distinct from new.status)
  execute function submission_moves();

-- +goose Down
drop table submission_timeline, submissions;
drop function submission_moves;
