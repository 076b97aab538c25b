-- +goose Up

-- The span in which later work on the row continues, as a traceparent (W3C Trace
-- Context). Null = the call was not traced.
alter table submissions add column traceparent text; -- the span of the trigger
alter table events add column traceparent text; -- the span of the transition or call that published it

-- +goose Down
alter table events drop column traceparent;
alter table submissions drop column traceparent;
