package journal

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/data"
	"understudy.example/internal/storage"
)

// rule is a mistake that clients can make.
type rule struct {
	name    string
	message string
	advice  string
	routes  string // pattern of the routes whose calls can break it
	finder
}

// rules are all rules. A call on which a fault acted counts only if the client made the
// mistake regardless of the fault.
var rules = []rule{
	{
		"polling-too-fast",
		"The status of a transaction was polled twice within 250 ms",
		"Wait at least 250 ms between two polls of a transaction, or subscribe to its events.",
		`^GET .*/status/`,
		callQuery(`
			select id, xid, seq
			from (
				select
					id, xid, seq, begun_at - lag(begun_at) over polls as pause,
					at - begun_at = lag(at - begun_at) over polls as same_clock -- the clock was not advanced in between
				from calls
				where tenant_id = @tenant_id
				and route like 'GET %/universal-submit/status/{tx\_id}'
				and status between 200 and 299 -- a refused poll shows no state
				window polls as (partition by client_id, tx_id order by begun_at, seq)
			) polls
			where pause < interval '250 milliseconds'
			and same_clock`),
	},
	{
		"token-per-call",
		"A client requested as many access tokens as it made other calls",
		"Reuse the access token for its 12 hours, and request another only when it is about to expire.",
		`^POST /auth/token$`,
		callQuery(`
			select id, xid, seq
			from calls
			where tenant_id = @tenant_id
			and route = 'POST /auth/token'
			and status = 200
			and client_id in (
				select client_id
				from calls
				where tenant_id = @tenant_id
				and client_id <> ''
				group by client_id
				having count(*) filter (where route = 'POST /auth/token' and status = 200)
					> greatest(3, count(*) filter (where route <> 'POST /auth/token') - 1)
			)`),
	},
	{
		"expired-token",
		"A call was made with an expired access token",
		"Refresh the token before expires_in has passed. After a 401, request a new token once and retry the call.",
		``,
		callQuery(`
			select id, xid, seq
			from calls
			where tenant_id = @tenant_id
			and token_expired`),
	},
	{
		"data-before-completion",
		"The data of a transaction was requested before the submission was complete",
		"Poll the status until it is Completed (or Succeeded), then read the data.",
		`^GET /data/`,
		callQuery(`
			select id, xid, seq
			from calls
			where tenant_id = @tenant_id
			and route like 'GET /data/%'
			and status = 409
			and faults = '{}'`),
	},
	{
		"inquiry-package",
		"An inquiry for company data was made with a location package",
		"Use the company package for versions 1 and 2 with idType=transaction, and idType=sov for locations.",
		`^GET /data/`,
		inCalls(findWrongPackages),
	},
	{
		"json-content-type",
		"A JSON body was sent without the Content-Type application/json",
		"Send Content-Type: application/json with each JSON body.",
		`^(POST|PUT|PATCH) `,
		callQuery(`
			select id, xid, seq
			from calls
			where tenant_id = @tenant_id
			and (
				route like 'POST %/file-upload-url'
				or route in ('POST /company/v1/company_submit', 'POST /company/v1/quick_submit', 'POST /hooks',
					'PUT /hooks/{hook_id}', 'PATCH /hooks/{hook_id}')
			)
			and request_size > 0
			and strpos(request_headers, '"Content-Type":["application/json"') = 0 -- so that few are parsed
			and lower(trim(split_part(request_headers::json -> 'Content-Type' ->> 0, ';', 1))) is distinct from 'application/json'`),
	},
	{
		"upload-part-type",
		"A file was sent in a form part without a Content-Type",
		"Give the form part named file the content type of the file, or application/octet-stream.",
		`^(PUT /file-transfer|POST .*/file$)`,
		callQuery(`
			select id, xid, seq
			from calls
			where tenant_id = @tenant_id
			and (route like 'PUT /file-transfer/%' or route like 'POST %/universal-submit/file')
			and exists(
				select
				from jsonb_array_elements(parts) part
				where part ->> 'name' = 'file'
				and coalesce(part ->> 'content_type', '') = ''
			)`),
	},
	{
		"direct-submit-size",
		"A file of 10,000,000 to 10,485,759 bytes was submitted directly",
		"It is not known whether the limit of 10 MB is 10,000,000 or 10,485,760 bytes: use an upload URL for files above the smaller one.",
		`^POST .*/file$`,
		callQuery(`
			select id, xid, seq
			from calls
			where tenant_id = @tenant_id
			and route like 'POST %/universal-submit/file'
			and request_sha256 is not null
			and request_size between 10000000 and 10485759`),
	},
	{
		"upload-name",
		"A file was uploaded under a name other than the one for which the upload URL was requested",
		"In the form part named file, send the same filename as in the request for the upload URL.",
		`^PUT /file-transfer`,
		callQuery(`
			select uploads.id, uploads.xid, uploads.seq
			from calls uploads
			join calls announced on announced.tenant_id = uploads.tenant_id and announced.tx_id = uploads.tx_id
			where uploads.tenant_id = @tenant_id
			and uploads.route like 'PUT /file-transfer/%'
			and uploads.request_sha256 is not null
			and announced.route like 'POST %/file-upload-url'
			and announced.filename <> ''
			and uploads.filename <> announced.filename`),
	},
	{
		"upload-content-type",
		"A file was uploaded with a content type that does not match its file name",
		"In the form part named file, send the content type of the file, or application/octet-stream.",
		`^PUT /file-transfer`,
		inCalls(findWrongContentTypes),
	},
	{
		"webhook-not-accepted",
		"A webhook receiver did not respond to a delivery with a 2xx status",
		"Respond to each delivery with a 2xx status at once, and process the event afterwards.",
		``,
		elsewhere(findRejectedDeliveries),
	},
	{
		"webhook-unknown-event",
		"A subscription names an event that nothing publishes",
		"Subscribe to the events that docs/webhooks.md lists, to one of their subjects or to *, or publish the event with POST /tenants/{t}/events.",
		``,
		elsewhere(findUnpublishedSubscriptions),
	},
}

// contentTypes are the content types by file extension. Other extensions are not
// checked.
var contentTypes = map[string]string{
	"pdf":  "application/pdf",
	"docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	"doc":  "application/msword", "xls": "application/vnd.ms-excel",
	"csv": "text/csv", "txt": "text/plain", "html": "text/html", "zip": "application/zip",
	"eml": "message/rfc822", "msg": "application/vnd.ms-outlook",
	"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg",
}

// findWrongContentTypes finds uploads whose content type belongs to a different file
// extension than the name for which the upload URL was requested.
func findWrongContentTypes(_ context.Context, _ storage.DB, tenantID uuid.UUID) (string, pgx.StrictNamedArgs, error) {
	var extensions, types []string
	for extension, contentType := range contentTypes {
		extensions, types = append(extensions, extension), append(types, contentType)
	}
	return `
		select uploads.id, uploads.xid, uploads.seq
		from calls uploads
		join calls announced on announced.tenant_id = uploads.tenant_id and announced.tx_id = uploads.tx_id
		join unnest(@extensions::text[], @types::text[]) known (extension, content_type)
			on lower(announced.filename) like '%.' || known.extension
		where uploads.tenant_id = @tenant_id
		and uploads.route like 'PUT /file-transfer/%'
		and uploads.request_sha256 is not null
		and announced.route like 'POST %/file-upload-url'
		and lower(split_part(uploads.content_type, ';', 1)) not in ('', 'application/octet-stream', known.content_type)
		and lower(split_part(uploads.content_type, ';', 1)) = any(@types)`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "extensions": extensions, "types": types}, nil
}

// findWrongPackages finds the inquiries for company data that named a location package.
func findWrongPackages(ctx context.Context, db storage.DB, tenantID uuid.UUID) (string, pgx.StrictNamedArgs, error) {
	packages, err := data.Packages(ctx, db, tenantID)
	if err != nil {
		return "", nil, err
	}
	var locationPackages []string
	for _, p := range packages {
		if p.Kind == data.LocationKind {
			locationPackages = append(locationPackages, p.ID)
		}
	}
	return `
		select id, xid, seq
		from calls
		where tenant_id = @tenant_id
		and (
			route = 'GET /data/v1/{dp_id}/{report_id}'
			or route = 'GET /data/v2/{dp_id}/{tx_id}' and path like '%idType=transaction%'
		)
		and split_part(path, '/', 4) = any(@packages)`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "packages": locationPackages}, nil
}
