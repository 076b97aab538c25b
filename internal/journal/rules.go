package journal

import (
	"context"

	"github.com/google/uuid"

	"understudy.example/internal/storage"
)

// rule is a mistake that clients can make. Exactly one of the last three fields is set.
type rule struct {
	name    string
	message string
	advice  string

	call      string // condition on a row of calls that breaks the rule
	calls     string // query that selects id and seq of the rows of checked that break the rule
	elsewhere func(ctx context.Context, db storage.DB, tenantID uuid.UUID) (evidence, error)
}

// rules are all rules. A call on which a fault acted counts only if the client made the
// mistake regardless of the fault.
var rules = []rule{
	{
		name:    "polling-too-fast",
		message: "The status of a transaction was polled twice within 250 ms",
		advice:  "Wait at least 250 ms between two polls of a transaction, or subscribe to its events.",
		calls: `
			select id, seq
			from (
				select
					id, seq, begun_at - lag(begun_at) over polls as pause,
					at - begun_at = lag(at - begun_at) over polls as same_clock -- the clock was not advanced in between
				from checked
				where route like 'GET %/universal-submit/status/{tx\_id}'
				and status between 200 and 299 -- a refused poll shows no state
				window polls as (partition by client_id, tx_id order by begun_at, seq)
			) polls
			where pause < interval '250 milliseconds'
			and same_clock`,
	},
	{
		name:    "token-per-call",
		message: "A client requested as many access tokens as it made other calls",
		advice:  "Reuse the access token for its 12 hours, and request another only when it is about to expire.",
		calls: `
			select id, seq
			from checked
			where route = 'POST /auth/token'
			and status = 200
			and client_id in (
				select client_id
				from checked
				where client_id <> ''
				group by client_id
				having count(*) filter (where route = 'POST /auth/token' and status = 200)
					> greatest(3, count(*) filter (where route <> 'POST /auth/token') - 1)
			)`,
	},
	{
		name:    "expired-token",
		message: "A call was made with an expired access token",
		advice:  "Refresh the token before expires_in has passed. After a 401, request a new token once and retry the call.",
		call:    `token_expired`,
	},
	{
		name:    "data-before-completion",
		message: "The data of a transaction was requested before the submission was complete",
		advice:  "Poll the status until it is Completed (or Succeeded), then read the data. A failed submission has no data.",
		call: `
			route like 'GET /data/%'
			and status = 409
			and faults = '{}'`,
	},
	{
		name:    "inquiry-package",
		message: "An inquiry for company data was made with a location package",
		advice:  "Use the company package for versions 1 and 2 with idType=transaction, and idType=sov for locations.",
		call: `
			(
				route = 'GET /data/v1/{dp_id}/{report_id}'
				or route = 'GET /data/v2/{dp_id}/{tx_id}' and path like '%idType=transaction%'
			)
			and split_part(path, '/', 4) = any(@location_packages::text[])`,
	},
	{
		name:    "json-content-type",
		message: "A JSON body was sent without the Content-Type application/json",
		advice:  "Send Content-Type: application/json with each JSON body.",
		call: `
			request_size > 0
			and (
				route like 'POST %/file-upload-url'
				or route in ('POST /company/v1/company_submit', 'POST /company/v1/quick_submit', 'POST /hooks',
					'PUT /hooks/{hook_id}', 'PATCH /hooks/{hook_id}')
			)
			and lower(trim(split_part(request_type, ';', 1))) <> 'application/json'`,
	},
	{
		name:    "upload-part-type",
		message: "A file was sent in a form part without a Content-Type",
		advice:  "Give the form part named file the content type of the file, or application/octet-stream.",
		call: `
			(route like 'PUT /file-transfer/%' or route like 'POST %/universal-submit/file')
			and exists(
				select
				from jsonb_array_elements(parts) part
				where part ->> 'name' = 'file'
				and coalesce(part ->> 'content_type', '') = ''
			)`,
	},
	{
		name:    "direct-submit-size",
		message: "A file of 10,000,000 to 10,485,759 bytes was submitted directly",
		advice:  "It is not known whether the limit of 10 MB is 10,000,000 or 10,485,760 bytes: use an upload URL for files above the smaller one.",
		call: `
			route like 'POST %/universal-submit/file'
			and request_sha256 is not null
			and request_size between 10000000 and 10485759`,
	},
	{
		name:    "upload-name",
		message: "A file was uploaded under a name other than the one for which the upload URL was requested",
		advice:  "In the form part named file, send the same filename as in the request for the upload URL.",
		calls: `
			select id, seq
			from uploads
			where announced <> ''
			and filename <> announced`,
	},
	{
		name:    "upload-content-type",
		message: "A file was uploaded with a content type that does not match its file name",
		advice:  "In the form part named file, send the content type of the file, or application/octet-stream.",
		calls: `
			select id, seq
			from uploads
			join unnest(@extensions::text[], @types::text[]) known (extension, content_type)
				on lower(announced) like '%.' || known.extension
			where uploads.content_type not in ('', 'application/octet-stream', known.content_type)
			and uploads.content_type = any(@types)`,
	},
	{
		name:      "webhook-not-accepted",
		message:   "A webhook receiver did not respond to a delivery with a 2xx status",
		advice:    "Respond to each delivery with a 2xx status at once, and process the event afterwards.",
		elsewhere: findRejectedDeliveries,
	},
	{
		name:      "webhook-unknown-event",
		message:   "A subscription names an event that nothing publishes",
		advice:    "Subscribe to the events that docs/webhooks.md lists, to one of their subjects or to *, or publish the event with POST /tenants/{t}/events.",
		elsewhere: findUnpublishedSubscriptions,
	},
}

// contentTypes are the content types by file extension. The rule upload-content-type
// does not check other extensions.
var contentTypes = map[string]string{
	"pdf":  "application/pdf",
	"docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	"doc":  "application/msword", "xls": "application/vnd.ms-excel",
	"csv": "text/csv", "txt": "text/plain", "html": "text/html", "zip": "application/zip",
	"eml": "message/rfc822", "msg": "application/vnd.ms-outlook",
	"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg",
}
