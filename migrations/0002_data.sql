-- +goose Up

create table data_packages (
  tenant_id uuid not null references tenants on delete cascade,
  id        text not null check (id <> ''),
  kind      text not null check (kind in ('company', 'location')),
  primary key (tenant_id, id)
);

create table reports (
  c_report_id text primary key check (c_report_id ~ '^C[A-Z]{2}[0-9A-Z]+$'),
  l_report_id text not null unique check (l_report_id ~ '^L[A-Z]{2}[0-9A-Z]+$'),
  tenant_id   uuid not null references tenants on delete cascade,
  tx_id       text not null,  -- the submission or company submit that it belongs to
  company     jsonb not null, -- an enrich.Report without its locations
  locations   jsonb not null, -- array of enrich.Location
  created_at  timestamptz not null,
  unique (tenant_id, tx_id)
);

-- +goose Down
drop table reports, data_packages;
