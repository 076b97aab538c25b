package journal

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/hooks"
	"understudy.example/internal/storage"
)

// evidence is how often a rule was broken, and by which calls.
type evidence struct {
	Count int
	IDs   []string
}

// maxEvidence is how many ids a finding shows.
const maxEvidence = 20

// rule is a mistake that clients can make.
type rule struct {
	name    string
	message string
	advice  string
	find    func(ctx context.Context, db storage.DB, tenantID uuid.UUID) (evidence, error)
}

// rules are the mistakes that are looked for. Calls on which a fault acted count
// only where the mistake is the client's all the same.
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
				from calls
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
		"A call was made with an access token that had expired",
		"Renew the token before expires_in has passed, and on a 401 fetch another once and repeat the call.",
		inJournal(`
			select id, seq
			from calls
			where tenant_id = @tenant_id
			and token_expired`),
	},
	{
		"data-before-completion",
		"The data of a transaction was read before it was complete",
		"Read data once the status is Completed (or Succeeded), not before.",
		inJournal(`
			select id, seq
			from calls
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
		"A file was uploaded with a content type that its announced name contradicts",
		"Send the part named file with the content type of the file, or with application/octet-stream.",
		contradictingUploads,
	},
	{
		"webhook-not-accepted",
		"A webhook receiver did not answer a delivery with 2xx",
		"Answer each delivery with 2xx at once, and do what it asks for afterwards.",
		rejectedDeliveries,
	},
}

// inJournal returns the find function of a rule whose query selects id and seq of
// the calls that break it.
func inJournal(query string) func(context.Context, storage.DB, uuid.UUID) (evidence, error) {
	return func(ctx context.Context, db storage.DB, tenantID uuid.UUID) (evidence, error) {
		return collect(ctx, db, query, pgx.StrictNamedArgs{"tenant_id": tenantID})
	}
}

func collect(ctx context.Context, db storage.DB, query string, args pgx.StrictNamedArgs) (evidence, error) {
	args["max"] = maxEvidence
	return storage.One[evidence](ctx, db, `
		with broken as (`+query+`)
		select
			(select count(*) from broken) as count,
			array(select id::text from broken order by seq limit @max) as ids`,
		args)
}

// contentTypes are the content types of the file extensions that are checked.
var contentTypes = map[string]string{
	"pdf":  "application/pdf",
	"docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	"doc":  "application/msword", "xls": "application/vnd.ms-excel",
	"csv": "text/csv", "txt": "text/plain", "html": "text/html", "zip": "application/zip",
	"eml": "message/rfc822", "msg": "application/vnd.ms-outlook",
	"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg",
}

// contradictingUploads finds uploads whose content type belongs to another file
// extension than the announced one.
func contradictingUploads(ctx context.Context, db storage.DB, tenantID uuid.UUID) (evidence, error) {
	var extensions, types []string
	for extension, contentType := range contentTypes {
		extensions, types = append(extensions, extension), append(types, contentType)
	}
	return collect(ctx, db, `
		select uploads.id, uploads.seq
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
		pgx.StrictNamedArgs{"tenant_id": tenantID, "extensions": extensions, "types": types})
}

// rejectedDeliveries finds the delivery attempts that were not answered with a 2xx
// status.
func rejectedDeliveries(ctx context.Context, db storage.DB, tenantID uuid.UUID) (evidence, error) {
	count, ids, err := hooks.RejectedAttempts(ctx, db, tenantID, maxEvidence)
	found := evidence{Count: count}
	for _, id := range ids {
		found.IDs = append(found.IDs, id.String())
	}
	return found, err
}
