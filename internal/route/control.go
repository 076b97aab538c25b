package route

// ControlBase is the path under which the control listener serves Control.
const ControlBase = "/control/v1"

// Operations of the control API.
const (
	ListTenants    Operation = "listTenants"
	CreateTenant   Operation = "createTenant"
	ReadTenant     Operation = "readTenant"
	DeleteTenant   Operation = "deleteTenant"
	ResetTenant    Operation = "resetTenant"
	ReadSettings   Operation = "readSettings"
	ChangeSettings Operation = "changeSettings"
	ReadClock      Operation = "readClock"
	MoveClock      Operation = "moveClock"

	ListClients  Operation = "listClients"
	CreateClient Operation = "createClient"
	ChangeClient Operation = "changeClient"
	RevokeClient Operation = "revokeClient"
	RotateSecret Operation = "rotateSecret"
	ListAPIKeys  Operation = "listAPIKeys"
	CreateAPIKey Operation = "createAPIKey"
	DeleteAPIKey Operation = "deleteAPIKey"

	ListPackages   Operation = "listPackages"
	CreatePackage  Operation = "createPackage"
	DeletePackage  Operation = "deletePackage"
	ListOutcomes   Operation = "listOutcomes"
	PutOutcome     Operation = "putOutcome"
	DeleteOutcomes Operation = "deleteOutcomes"

	Submit            Operation = "submit"
	ReadInquiry       Operation = "readInquiry"
	ReadDocumentView  Operation = "readTransactionDocument"
	ReadOutcome       Operation = "readTransactionOutcome"
	ListTransactions  Operation = "listTransactions"
	ReadTransaction   Operation = "readTransaction"
	DeleteTransaction Operation = "deleteTransaction"
	ListControlHooks  Operation = "listSubscriptions"
	CreateControlHook Operation = "createSubscription"
	ReadControlHook   Operation = "readSubscription"
	ChangeControlHook Operation = "changeSubscription"
	DeleteControlHook Operation = "deleteSubscription"
	ListDeliveries    Operation = "listDeliveries"
	ReadDelivery      Operation = "readDelivery"
	Redeliver         Operation = "redeliver"
	FireEvent         Operation = "fireEvent"
	ProbeReceiver     Operation = "probeReceiver"
	CheckSignature    Operation = "checkSignature"

	ExportConfiguration Operation = "exportConfiguration"
	ImportConfiguration Operation = "importConfiguration"
	ExportSubmissions   Operation = "exportSubmissions"
	ImportSubmissions   Operation = "importSubmissions"

	CreateFault           Operation = "createFault"
	ListFaults            Operation = "listFaults"
	DeleteFaults          Operation = "deleteFaults"
	DeleteFault           Operation = "deleteFault"
	ListCalls             Operation = "listCalls"
	ReadCall              Operation = "readCall"
	ListUnattributedCalls Operation = "listUnattributedCalls"
	ReadUnattributedCall  Operation = "readUnattributedCall"
	ListFindings          Operation = "listFindings"
	ReadOverview          Operation = "readOverview"
	ReadCoverage          Operation = "readCoverage"
	ListFeed              Operation = "listFeed"
	AwaitEvent            Operation = "awaitEvent"
	StreamEvents          Operation = "streamEvents"

	ListAudit           Operation = "listAudit"
	ReadAPIURL          Operation = "readAPIURL"
	ReadControlDocument Operation = "readControlDocument"
	ReadFidelity        Operation = "readFidelity"
	ReadSeedSchema      Operation = "readSeedSchema"
)

// Control lists the routes of the control API. Their paths are relative to
// ControlBase.
var Control = []Route{
	{Method: "GET", Path: "/tenants", Operation: ListTenants},
	{Method: "POST", Path: "/tenants", Operation: CreateTenant},
	{Method: "GET", Path: "/tenants/{t}", Operation: ReadTenant},
	{Method: "DELETE", Path: "/tenants/{t}", Operation: DeleteTenant},
	{Method: "POST", Path: "/tenants/{t}/reset", Operation: ResetTenant},

	{Method: "GET", Path: "/tenants/{t}/settings", Operation: ReadSettings},
	{Method: "PATCH", Path: "/tenants/{t}/settings", Operation: ChangeSettings},
	{Method: "GET", Path: "/tenants/{t}/clock", Operation: ReadClock},
	{Method: "POST", Path: "/tenants/{t}/clock", Operation: MoveClock},

	{Method: "GET", Path: "/tenants/{t}/clients", Operation: ListClients},
	{Method: "POST", Path: "/tenants/{t}/clients", Operation: CreateClient},
	{Method: "PATCH", Path: "/tenants/{t}/clients/{client_id}", Operation: ChangeClient},
	{Method: "DELETE", Path: "/tenants/{t}/clients/{client_id}", Operation: RevokeClient},
	{Method: "POST", Path: "/tenants/{t}/clients/{client_id}/rotate", Operation: RotateSecret},
	{Method: "GET", Path: "/tenants/{t}/api-keys", Operation: ListAPIKeys},
	{Method: "POST", Path: "/tenants/{t}/api-keys", Operation: CreateAPIKey},
	{Method: "DELETE", Path: "/tenants/{t}/api-keys/{id}", Operation: DeleteAPIKey},

	{Method: "GET", Path: "/tenants/{t}/packages", Operation: ListPackages},
	{Method: "POST", Path: "/tenants/{t}/packages", Operation: CreatePackage},
	{Method: "DELETE", Path: "/tenants/{t}/packages/{id}", Operation: DeletePackage},
	{Method: "GET", Path: "/tenants/{t}/outcomes", Operation: ListOutcomes},
	{Method: "PUT", Path: "/tenants/{t}/outcomes", Operation: PutOutcome},
	{Method: "DELETE", Path: "/tenants/{t}/outcomes", Operation: DeleteOutcomes},

	{Method: "POST", Path: "/tenants/{t}/submissions", Operation: Submit, Upload: true},
	{Method: "GET", Path: "/tenants/{t}/transactions", Operation: ListTransactions},
	{Method: "GET", Path: "/tenants/{t}/transactions/{tx_id}", Operation: ReadTransaction},
	{Method: "DELETE", Path: "/tenants/{t}/transactions/{tx_id}", Operation: DeleteTransaction},
	{Method: "GET", Path: "/tenants/{t}/transactions/{tx_id}/inquiry", Operation: ReadInquiry},
	{Method: "GET", Path: "/tenants/{t}/transactions/{tx_id}/document", Operation: ReadDocumentView},
	{Method: "GET", Path: "/tenants/{t}/transactions/{tx_id}/outcome", Operation: ReadOutcome},
	{Method: "GET", Path: "/tenants/{t}/hooks", Operation: ListControlHooks},
	{Method: "POST", Path: "/tenants/{t}/hooks", Operation: CreateControlHook},
	{Method: "GET", Path: "/tenants/{t}/hooks/{id}", Operation: ReadControlHook},
	{Method: "PUT", Path: "/tenants/{t}/hooks/{id}", Operation: ChangeControlHook},
	{Method: "DELETE", Path: "/tenants/{t}/hooks/{id}", Operation: DeleteControlHook},
	{Method: "GET", Path: "/tenants/{t}/deliveries", Operation: ListDeliveries},
	{Method: "GET", Path: "/tenants/{t}/deliveries/{id}", Operation: ReadDelivery},
	{Method: "POST", Path: "/tenants/{t}/deliveries/{id}/redeliver", Operation: Redeliver},
	{Method: "POST", Path: "/tenants/{t}/events", Operation: FireEvent},
	{Method: "POST", Path: "/tenants/{t}/probe", Operation: ProbeReceiver},
	{Method: "POST", Path: "/tenants/{t}/signature", Operation: CheckSignature},

	{Method: "GET", Path: "/tenants/{t}/configuration", Operation: ExportConfiguration},
	{Method: "PUT", Path: "/tenants/{t}/configuration", Operation: ImportConfiguration},
	{Method: "GET", Path: "/tenants/{t}/archive", Operation: ExportSubmissions},
	{Method: "POST", Path: "/tenants/{t}/archive", Operation: ImportSubmissions, Upload: true},

	{Method: "GET", Path: "/tenants/{t}/faults", Operation: ListFaults},
	{Method: "POST", Path: "/tenants/{t}/faults", Operation: CreateFault},
	{Method: "DELETE", Path: "/tenants/{t}/faults", Operation: DeleteFaults},
	{Method: "DELETE", Path: "/tenants/{t}/faults/{id}", Operation: DeleteFault},
	{Method: "GET", Path: "/tenants/{t}/requests", Operation: ListCalls},
	{Method: "GET", Path: "/tenants/{t}/requests/{id}", Operation: ReadCall},
	{Method: "GET", Path: "/tenants/{t}/findings", Operation: ListFindings},
	{Method: "GET", Path: "/tenants/{t}/overview", Operation: ReadOverview},
	{Method: "GET", Path: "/tenants/{t}/coverage", Operation: ReadCoverage},
	{Method: "GET", Path: "/tenants/{t}/feed", Operation: ListFeed},
	{Method: "GET", Path: "/tenants/{t}/await", Operation: AwaitEvent},
	{Method: "GET", Path: "/tenants/{t}/stream", Operation: StreamEvents},

	{Method: "GET", Path: "/requests", Operation: ListUnattributedCalls},
	{Method: "GET", Path: "/requests/{id}", Operation: ReadUnattributedCall},
	{Method: "GET", Path: "/audit", Operation: ListAudit},
	{Method: "GET", Path: "/", Operation: ReadAPIURL},
	{Method: "GET", Path: "/openapi.json", Operation: ReadControlDocument},
	{Method: "GET", Path: "/fidelity", Operation: ReadFidelity},
	{Method: "GET", Path: "/seed.schema.json", Operation: ReadSeedSchema},
}
