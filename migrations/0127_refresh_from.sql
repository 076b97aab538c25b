-- +goose Up

-- A reset of a tenant ends all its refresh tokens. The first token of a family has no row in
-- refresh_families; the real time at which it was issued is in its id. Servers of the previous
-- release do not read this column.
alter table tenants add refresh_from timestamptz; -- real time of the last reset; null = the tenant was never reset

-- +goose Down
alter table tenants drop refresh_from;
