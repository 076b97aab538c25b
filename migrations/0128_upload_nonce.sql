-- +goose Up

-- The random part of a submission's upload URL. It tells the submission from an earlier one with the same id and time,
-- which a tenant with an id seed and a frozen clock has after a reset. Servers of the previous release leave it null.
alter table submissions add upload_nonce bytea;

-- +goose Down
alter table submissions drop upload_nonce;
