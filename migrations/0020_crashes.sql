-- +goose Up

-- How many worker processes have crashed on the submission's file.
alter table submissions add column crashes int not null default 0;

-- +goose Down
alter table submissions drop column crashes;
