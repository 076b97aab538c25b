-- +goose Up

-- has_subscribers reports whether the tenant has an active subscription, so that a statement
-- can tell whether its events must be published. It is volatile, so that it sees the
-- subscriptions as they are when it is called, not as they were when the statement began.
create function has_subscribers(tenant uuid) returns boolean language sql volatile as $$
  select exists (select from hooks where tenant_id = tenant and active)
$$;

-- +goose Down
drop function has_subscribers;
