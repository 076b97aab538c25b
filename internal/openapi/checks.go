package openapi

// check is one of the checks of a call, in their order, with the responses of both
// families of endpoints if it fails.
type check struct {
	Number         int // 0 = not one of the ordered checks
	Name           string
	Message, Hooks []string
}

// checks are the checks of every call, and the errors that no check causes.
var checks = []check{
	{1, "The route and the method exist", []string{`403 {"message":"Missing Authentication Token"}`}, []string{`404 {"status":404,"error":"Not Found"}`}},
	{2, "Authorization is present", []string{`401 {"message":"Unauthorized"}`}, []string{`401 {"status":401,"error":"Unauthorized"}`}},
	{3, "The token is valid: its signature, environment and expiry, and it is not revoked", []string{`401 {"message":"Unauthorized"}`, `WWW-Authenticate: … error="invalid_token"`}, []string{`401 {"status":401,"error":"Unauthorized"}`}},
	{4, "The client has the permission for the route", []string{`403 {"message":"User is not authorized to access this resource"}`}, []string{`403 {"status":403,"error":"Forbidden"}`}},
	{5, "x-api-key is known and belongs to the same tenant", []string{`403 {"message":"Forbidden"}`}, []string{"not asked for"}},
	{6, "The rate limit is not exceeded", []string{`429 {"message":"Too Many Requests"}`}, []string{`429 {"status":429,"error":"Too Many Requests"}`}},
	{7, "The size and the form of the body are valid", []string{`413 {"message":"Request Too Long"}`, `415 {"message":"Unsupported Media Type"}`, `400 {"message":"Invalid request body"}`}, []string{`413 {"status":413,"error":"Request Entity Too Large"}`, `400 {"status":400,"error":"Bad Request"}`}},
	{8, "The fields are valid", []string{`400 {"message":"filename is required"}`}, []string{`422 {"url":["can't be blank"]}`}},
	{9, "The object exists for this tenant; another tenant's does not", []string{`404 {"message":"Transaction not found"}`}, []string{`404 {"status":404,"error":"Not Found"}`}},
	{10, "The state of the object allows the call", []string{`409 {"message":"Transaction is not complete","status":"…"}`, `409 {"message":"File has not been uploaded"}`}, []string{`422 {"active":["limit of 10 active subscriptions reached"]}`}},
	{0, "The database or the object store is away", []string{`503 {"message":"Service Unavailable"}`}, []string{`503 {"status":503,"error":"Service Unavailable"}`}},
	{0, "The emulator has failed", []string{`500 {"message":"Internal server error"}`}, []string{`500 {"status":500,"error":"Internal Server Error"}`}},
}
