package servertest

// chosenControl lists what the control API does, and what a file name can do.
var chosenControl = []section{
	{"Chosen, control API, tenants", []statement{
		{"everything of a tenant is its own", "control"},
		{"a new tenant has credentials and packages, and shows its secrets once", "control"},
		{"permissions and settings of a new tenant", "control"},
		{"tenants are listed, read and deleted", "control"},
		{"a reset keeps the credentials and drops all else", "control"},
		{"clients are made, changed and revoked", "control"},
		{"a change of credentials acts within 1 s on every server", "control"},
		{"after a rotation the old secret works until the overlap ends", "control"},
		{"API keys are made and deleted", "control"},
	}},
	{"Chosen, control API, settings", []statement{
		{"the default settings", "control"},
		{"pacing: immediate", "universal"},
		{"pacing: timed, with the wait of each step", "control"},
		{"pacing: polls, each moves one state", "control"},
		{"status_vocabulary", "control"},
		{"trailing_whitespace", "data"},
		{"rate_limit, for each API key", "auth control"},
		{"rate_limit, for each client on webhook calls", "auth"},
		{"max_submissions, max_stored_bytes and max_upload_bytes", "universal"},
		{"id_seed: the same name and seed give the same ids", "control"},
	}},
	{"Chosen, control API, packages", []statement{
		{"packages are made with any id, listed and deleted", "data"},
		{"the fields of a package", "data"},
		{"the content implies the kind", "data"},
	}},
	{"Chosen, control API, transactions", []statement{
		{"listed and read, with timeline and failure", "control"},
		{"read with the evidence of each value", "universal"},
		{"deleted with all that belongs to them", "control"},
	}},
	{"Chosen, control API, clock", []statement{
		{"advance: every due moment passes in turn, and its effects are returned in order", "control"},
		{"it moves tokens, upload URLs, stages and retries", "control"},
		{"set, and never back", "control"},
		{"frozen", "control"},
		{"what is due next is listed", "control"},
	}},
	{"Chosen, control API, outcomes", []statement{
		{"match by filename, sha256 or company_name", "outcome"},
		{"status, facts, options and locations in place of extraction", "outcome"},
		{"after", "outcome"},
		{"listed and deleted", "outcome"},
		{"one is deleted by its match", "outcome"},
		{"unknown names and values of another form are refused, with the form", "outcome"},
		{"raw allows any value", "outcome"},
	}},
	{"Chosen, control API, faults", []statement{
		{"errors, latency and cut connections", "fault"},
		{"times, every, probability and expires", "fault hooks/delivery"},
		{"listed and deleted", "fault"},
		{"the same seed has the same faults in every tenant", "fault hooks/delivery"},
		{"deliveries: duplicate, delay, reorder, wrong_signature, truncate, drop", "hooks/delivery"},
	}},
	{"Chosen, control API, journal", []statement{
		{"method, path, status, duration, request id and bodies of calls", "journal"},
		{"filters and pages", "journal"},
		{"bodies up to 64 KB, and a bounded number of calls", "journal"},
		{"secrets and header values of subscriptions are masked", "journal"},
		{"every call that can be attributed, refused ones too, with the reason", "journal"},
		{"calls that cannot be attributed are the server's own", "journal"},
	}},
	{"Chosen, control API, events", []statement{
		{"fired, with the event's id and how many subscriptions matched", "control"},
		{"deliveries have their attempts, with request and response", "control"},
		{"a delivery is redelivered", "control"},
		{"await waits for an event, and shows what it saw on a timeout", "control"},
		{"stream has the same events as they happen", "control"},
	}},
	{"Chosen, control API, subscriptions", []statement{
		{"made, changed and deleted, by subject only", "hooks"},
		{"those of the API are read-only", "hooks"},
	}},
	{"Chosen, control API, configuration", []statement{
		{"an export is imported into another tenant, without secrets", "configuration"},
		{"nothing changes if a field is invalid", "configuration"},
	}},
	{"Chosen, control API, documents", []statement{
		{"the OpenAPI document of the control API", "control"},
		{"the labels of fidelity", "fidelity"},
	}},
	{"Chosen, file names", []statement{
		{".fail. fails", "control"},
		{".review. ends version 4 in Review_required", "universal"},
		{".slow. takes ten times as long", "universal"},
		{"a company name is not magic", "control"},
	}},
}
