package control

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/feed"
	"understudy.example/internal/storage"
)

// evidence is what a rule finds.
type evidence struct {
	Count int
	IDs   []string
}

// mostEvidence is how many ids a finding shows.
const mostEvidence = 20

// rule is one thing that clients are graded by.
type rule struct {
	name    string
	message string
	advice  string
	find    func(ctx context.Context, db storage.DB, tenantID uuid.UUID) (evidence, error)
}

// rules are those of the journal, each a query of its own, and the one of the
// deliveries. What was broken by a fault on purpose is nobody's mistake.
var rules = []rule{
	{
		"polling-too-fast",
		"The status of a transaction was asked again within 250 ms",
		"Wait at least 250 ms between two polls of a transaction, or subscribe to its events.",
		inJournal(`
			select id, seq
			from (
				select
					id, seq, begun_at - lag(begun_at) over polls as pause,
					at - begun_at = lag(at - begun_at) over polls as one_clock -- no test moved it between the two
				from requests
				where tenant_id = @tenant_id
				and route like 'GET %/universal-submit/status/%'
				window polls as (partition by client_id, tx_id order by begun_at, seq)
			) polls
			where pause < interval '250 milliseconds'
			and one_clock`),
	},
	{
		"token-per-call",
		"A client fetched as many tokens as it made other calls",
		"Keep the access token and use it for its 12 hours; fetch another only when it is about to expire.",
		inJournal(`
			select id, seq
			from requests
			where tenant_id = @tenant_id
			and route = 'POST /auth/token'
			and status = 200
			and client_id in (
				select client_id
				from requests
				where tenant_id = @tenant_id
				and client_id <> ''
				group by client_id
				having count(*) filter (where route = 'POST /auth/token' and status = 200)
					> greatest(3, count(*) filter (where route <> 'POST /auth/token') - 1)
			)`),
	},
	{
		"expired-token",
		"A call was made with an access token that had expired",
		"Renew the token before expires_in has passed, and on a 401 fetch another once and repeat the call.",
		inJournal(`
			select id, seq
			from requests
			where tenant_id = @tenant_id
			and expired`),
	},
	{
		"data-before-completion",
		"The data of a transaction was read before it was complete",
		"Read data once the status is Completed (or Succeeded), not before.",
		inJournal(`
			select id, seq
			from requests
			where tenant_id = @tenant_id
			and route like 'GET /data/%'
			and status = 409
			and faults = '{}'`),
	},
	{
		"upload-name",
		"A file was uploaded under another name than was announced",
		"Give the part named file the filename that the upload address was asked for with.",
		inJournal(`
			select uploads.id, uploads.seq
			from requests uploads
			join requests announced on announced.tenant_id = uploads.tenant_id and announced.tx_id = uploads.tx_id
			where uploads.tenant_id = @tenant_id
			and uploads.route like 'PUT /file-transfer/%'
			and uploads.request_sha256 is not null
			and announced.route like 'POST %/file-upload-url'
			and announced.file <> ''
			and uploads.file <> announced.file`),
	},
	{
		"upload-content-type",
		"A file was uploaded with a content type that its announced name contradicts",
		"Send the part named file with the content type of the file, or with application/octet-stream.",
		contradicted,
	},
	{
		"webhook-not-accepted",
		"A webhook receiver did not answer a delivery with 2xx",
		"Answer each delivery with 2xx at once, and do what it asks for afterwards.",
		notAccepted,
	},
}

// inJournal is a rule that selects id and seq of the calls that break it.
func inJournal(query string) func(context.Context, storage.DB, uuid.UUID) (evidence, error) {
	return func(ctx context.Context, db storage.DB, tenantID uuid.UUID) (evidence, error) {
		return gathered(ctx, db, query, pgx.StrictNamedArgs{"tenant_id": tenantID})
	}
}

func gathered(ctx context.Context, db storage.DB, query string, args pgx.StrictNamedArgs) (evidence, error) {
	args["most"] = mostEvidence
	return storage.One[evidence](ctx, db, `
		with broken as (`+query+`)
		select
			(select count(*) from broken) as count,
			array(select id::text from broken order by seq limit @most) as ids`,
		args)
}

// kinds are the content types of the extensions that we know. The rest
// contradict nothing.
var kinds = map[string]string{
	"pdf":  "application/pdf",
	"docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	"doc":  "application/msword", "xls": "application/vnd.ms-excel",
	"csv": "text/csv", "txt": "text/plain", "html": "text/html", "zip": "application/zip",
	"eml": "message/rfc822", "msg": "application/vnd.ms-outlook",
	"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg",
}

// contradicted finds uploads whose content type is that of another extension
// than the one announced.
func contradicted(ctx context.Context, db storage.DB, tenantID uuid.UUID) (evidence, error) {
	var extensions, types []string
	for extension, kind := range kinds {
		extensions, types = append(extensions, extension), append(types, kind)
	}
	return gathered(ctx, db, `
		select uploads.id, uploads.seq
		from requests uploads
		join requests announced on announced.tenant_id = uploads.tenant_id and announced.tx_id = uploads.tx_id
		join unnest(@extensions::text[], @types::text[]) known (extension, kind)
			on lower(announced.file) like '%.' || known.extension
		where uploads.tenant_id = @tenant_id
		and uploads.route like 'PUT /file-transfer/%'
		and uploads.request_sha256 is not null
		and announced.route like 'POST %/file-upload-url'
		and lower(split_part(uploads.kind, ';', 1)) not in ('', 'application/octet-stream', known.kind)
		and lower(split_part(uploads.kind, ';', 1)) = any(@types)`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "extensions": extensions, "types": types})
}

// notAccepted finds the attempts to deliver that were not answered with 2xx.
func notAccepted(ctx context.Context, db storage.DB, tenantID uuid.UUID) (found evidence, err error) {
	attempts, err := feed.List(ctx, db, feed.Query{TenantID: tenantID, Kind: feed.Delivery, Limit: maxCalls})
	if err != nil {
		return evidence{}, err
	}
	for _, attempt := range attempts {
		var told struct {
			DeliveryID string `json:"delivery_id"`
			Status     int    `json:"status"`
		}
		if err := json.Unmarshal(attempt.Data, &told); err != nil {
			return evidence{}, fmt.Errorf("delivery %s: %w", attempt.Cursor, err)
		}
		if told.Status/100 == 2 {
			continue
		}
		if found.Count++; found.Count <= mostEvidence {
			found.IDs = append(found.IDs, told.DeliveryID)
		}
	}
	return found, nil
}
