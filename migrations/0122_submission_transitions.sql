-- +goose Up

-- A submission can pass states that it reaches at the same time without a row in between.
-- Its timeline, its feed and its events still have each state.
-- +goose StatementBegin
create or replace function check_submission_transition() returns trigger language plpgsql as $$
begin
  if (old.status, new.status) not in (
    ('Pending', 'Submission_in_progress'),
    ('Pending', 'Scheduled'),
    ('Pending', 'Started'),
    ('Submission_in_progress', 'Scheduled'),
    ('Submission_in_progress', 'Started'),
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

-- +goose Down
-- +goose StatementBegin
create or replace function check_submission_transition() returns trigger language plpgsql as $$
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
