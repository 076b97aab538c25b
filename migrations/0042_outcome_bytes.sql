-- +goose Up

-- The size of an outcome's values as text, so that it is known before they are read.
alter table outcomes add column bytes bigint not null generated always as (
  coalesce(octet_length(facts::text), 0) + coalesce(octet_length(options::text), 0)
  + coalesce(octet_length(locations::text), 0) + coalesce(octet_length(packages::text), 0)
) stored;

-- +goose Down
alter table outcomes drop column bytes;
