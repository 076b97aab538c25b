-- +goose Up

-- What a data package shows, and whether its tenant was made with it.
alter table data_packages
  add column fields text[] check (cardinality(fields) > 0), -- of facts, options and scores; null = all
  add column extra  boolean not null default false, -- made later, by a test: a reset drops it
  add constraint id_tells_kind check (id ~ ('-' || left(kind, 1) || '[0-9]{4}$'));

-- +goose Down
alter table data_packages
  drop constraint id_tells_kind,
  drop column extra,
  drop column fields;
