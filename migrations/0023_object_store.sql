-- +goose Up

-- One row: the identity of the database, which the marker of its object store contains.
create table object_store (
  database_id uuid not null,
  marked      boolean not null default false -- the marker has been written
);
create unique index object_store_is_one on object_store ((true));

alter table submissions
  add column store_away_since timestamptz, -- real time; null = the file could be read, or has not been needed yet
  add column parked boolean not null default false, -- not processed until the object store is back
  add constraint parked_is_started check (not parked or (status = 'Started' and store_away_since is not null));
create index submissions_parked on submissions (store_away_since) where parked;

-- An older server would process parked submissions, and could not end them.
update schema_requirements
set oldest_server = 23;

-- +goose Down
update schema_requirements
set oldest_server = 21;
alter table submissions
  drop column parked,
  drop column store_away_since;
drop table object_store;
