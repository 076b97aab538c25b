-- +goose Up

-- A delivery that is collected instead of sent keeps its subscription's address,
-- header and secret (both sealed) as they were then: it is read as it would have
-- been sent, whatever the subscription is changed to.
alter table deliveries
  add column collected_url text,
  add column collected_header bytea,
  add column collected_secret bytea;

update deliveries d
set collected_url = h.url, collected_header = h.header, collected_secret = h.secret
from hooks h
where h.id = d.hook_id
and d.state = 'collected';

-- +goose StatementBegin
create function keep_collected() returns trigger language plpgsql as $$
begin
  select url, header, secret
  into new.collected_url, new.collected_header, new.collected_secret
  from hooks
  where id = new.hook_id;
  return new;
end $$;
-- +goose StatementEnd
create trigger keep_collected before insert or update of state on deliveries for each row
  when (new.state = 'collected') execute function keep_collected();

-- +goose Down
drop trigger keep_collected on deliveries;
drop function keep_collected;
alter table deliveries
  drop column collected_url,
  drop column collected_header,
  drop column collected_secret;
