package route

// Operations of the emulator itself.
const (
	ReadLiveness  Operation = "readLiveness"
	ReadReadiness Operation = "readReadiness"
	ReadDocument  Operation = "readDocument"
	ReadDocs      Operation = "readDocs"
	ReadDocsFile  Operation = "readDocsFile"
)

// Own lists the routes of the API listener that are the emulator's own: faults
// do not act on them, and they are not journaled.
var Own = []Route{
	{Method: "GET", Path: "/livez", Operation: ReadLiveness},
	{Method: "GET", Path: "/readyz", Operation: ReadReadiness},
	{Method: "GET", Path: "/openapi.yaml", Operation: ReadDocument},
	{Method: "GET", Path: "/docs", Operation: ReadDocs},
	{Method: "GET", Path: "/docs/{file}", Operation: ReadDocsFile},
}
