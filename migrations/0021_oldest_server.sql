-- +goose Up

-- One row: the oldest server that works with this schema, by the number of the newest
-- migration that it knows. Older servers refuse to start. A migration that breaks
-- older servers sets its own number, and its reversal the previous one.
create table schema_requirements (
  oldest_server bigint not null
);
create unique index schema_requirements_is_one on schema_requirements ((true));
insert into schema_requirements (oldest_server) values (21);

-- +goose Down
drop table schema_requirements;
