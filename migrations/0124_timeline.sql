-- +goose Up

-- A submission's row holds the times at which it reached its states, because a row and an
-- index entry for each state cost more than the change of the state itself. started_at and finished_at
-- are the tenant's times of the first and of the last state.
alter table submissions
  add column triggered_real_at  timestamptz, -- real time of the trigger
  add column scheduled_at       timestamptz,
  add column scheduled_real_at  timestamptz,
  add column processing_at      timestamptz, -- tenant's time at which it reached Started
  add column processing_real_at timestamptz,
  add column finished_real_at   timestamptz;

-- submission_states holds the states recorded by servers that do not know the columns, and
-- those of imported submissions.
alter table submission_timeline rename to submission_states;

-- All states that submissions have reached.
create view submission_timeline as
  select s.tx_id, reached.status, reached.at, reached.real_at
  from submissions s
  cross join lateral (
    select status, at, real_at
    from submission_states
    where tx_id = s.tx_id
    union all
    select status, at, real_at
    from (values
      ('Submission_in_progress', s.started_at, s.triggered_real_at),
      ('Scheduled', s.scheduled_at, s.scheduled_real_at),
      ('Started', s.processing_at, s.processing_real_at),
      (s.status, s.finished_at, s.finished_real_at)
    ) own (status, at, real_at)
    where real_at is not null
  ) reached;

-- Servers that do not know the columns insert into the view.
-- +goose StatementBegin
create function insert_state() returns trigger language plpgsql as $$
begin
  insert into submission_states (tx_id, status, at, real_at)
  values (new.tx_id, new.status, new.at, new.real_at);
  return new;
end $$;
-- +goose StatementEnd
create trigger insert_state instead of insert on submission_timeline
  for each row execute function insert_state();

-- Servers of the previous release use the view as they used the table.
update schema_requirements set oldest_server = 122;

-- +goose Down
update schema_requirements set oldest_server = 110;
create temporary table reached on commit drop as
  select tx_id, status, at, real_at from submission_timeline
  except
  select tx_id, status, at, real_at from submission_states;
drop view submission_timeline;
drop function insert_state;
insert into submission_states select tx_id, status, at, real_at from reached;
alter table submission_states rename to submission_timeline;
alter table submissions
  drop column triggered_real_at,
  drop column scheduled_at,
  drop column scheduled_real_at,
  drop column processing_at,
  drop column processing_real_at,
  drop column finished_real_at;
