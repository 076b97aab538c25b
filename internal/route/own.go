package route

// Operations that the emulated API does not have.
const (
	ReadLiveness  Operation = "readLiveness"
	ReadReadiness Operation = "readReadiness"
	ReadDocument  Operation = "readDocument"
	ReadDocs      Operation = "readDocs"
	ReadDocsFile  Operation = "readDocsFile"
	ReadMetrics   Operation = "readMetrics"
)

// Own lists the routes of the API listener that the emulated API does not have.
// Faults do not act on their calls, which are not journaled.
var Own = []Route{
	{Method: "GET", Path: "/livez", Operation: ReadLiveness},
	{Method: "GET", Path: "/readyz", Operation: ReadReadiness},
	{Method: "GET", Path: "/openapi.yaml", Operation: ReadDocument},
	{Method: "GET", Path: "/docs", Operation: ReadDocs},
	{Method: "GET", Path: "/docs/{file}", Operation: ReadDocsFile},
}

// Metrics is the route of the metrics, which only the control listener has.
var Metrics = Route{Method: "GET", Path: "/metrics", Operation: ReadMetrics}
