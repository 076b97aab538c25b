-- +goose NO TRANSACTION
-- +goose Up

-- For the responses that a tenant's receivers have sent, which are limited in size. The
-- responses of most failed attempts are empty.
create index if not exists failed_attempts_responses on failed_attempts (hook_id, at) where octet_length(response) > 0;

-- +goose Down
drop index failed_attempts_responses;
