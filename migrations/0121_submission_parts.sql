-- +goose Up

-- The parts of the extraction. Reading them from the extraction would decompress all of it.
-- Servers that do not know the column leave it null.
alter table submissions add column parts jsonb;

-- +goose Down
alter table submissions drop column parts;
