package route

// Operations of the emulated API.
const (
	CreateToken Operation = "createToken"

	CreateUploadURL   Operation = "createUploadURL"
	UploadFile        Operation = "uploadFile"
	TriggerSubmission Operation = "triggerSubmission"
	ReadStatus        Operation = "readStatus"
	ReadStatusDetails Operation = "readStatusDetails"
	SubmitFile        Operation = "submitFile"

	ReadReport         Operation = "readReport"
	ReadData           Operation = "readData"
	SubmitCompany      Operation = "submitCompany"
	QuickSubmitCompany Operation = "quickSubmitCompany"
	NotImplemented     Operation = "notImplemented"

	ListHooks        Operation = "listHooks"
	CreateHook       Operation = "createHook"
	ReadHook         Operation = "readHook"
	UpdateHook       Operation = "updateHook"
	DeleteHook       Operation = "deleteHook"
	ListHookRequests Operation = "listHookRequests"
	RedeliverToHook  Operation = "redeliverToHook"
)

// Permissions of universal submit. No permission names version 4: those of version
// 3 allow its routes.
const (
	getV1, postV1 = "::universal/v1/universal-submit:get", "::universal/v1/universal-submit:post"
	getV2, postV2 = "::universal/v2/universal-submit:get", "::universal/v2/universal-submit:post"
	getV3, postV3 = "::universal/v3/universal-submit:get", "::universal/v3/universal-submit:post"
)

// API lists the routes of the emulated API.
var API = []Route{
	{Method: "POST", Path: "/auth/token", Operation: CreateToken, Family: OAuth, AnyMethod: true},

	{Method: "POST", Path: "/universal/v2/universal-submit/file-upload-url", Operation: CreateUploadURL, Version: "v2", Permission: postV2},
	{Method: "PUT", Path: "/file-transfer/upload-file", Operation: UploadFile, Upload: true},
	{Method: "POST", Path: "/universal/v2/universal-submit/file/{tx_id}", Operation: TriggerSubmission, Version: "v2", Permission: postV2},
	{Method: "GET", Path: "/universal/v2/universal-submit/status/{tx_id}", Operation: ReadStatus, Version: "v2", Permission: getV2},
	{Method: "GET", Path: "/data/v2/{dp_id}/{tx_id}", Operation: ReadData, Version: "v2", Permission: "::data/v2:get"},
	{Method: "GET", Path: "/data/v1/{dp_id}/{report_id}", Operation: ReadReport, Version: "v1", Permission: "::data/v1:get"},
	{Method: "POST", Path: "/company/v1/company_submit", Operation: SubmitCompany, Version: "v1", Permission: "::company/v1/company_submit:post"},

	{Method: "POST", Path: "/universal/v1/universal-submit/file-upload-url", Operation: CreateUploadURL, Version: "v1", Permission: postV1},
	{Method: "POST", Path: "/universal/v1/universal-submit/file/{tx_id}", Operation: TriggerSubmission, Version: "v1", Permission: postV1},
	{Method: "GET", Path: "/universal/v1/universal-submit/status/{tx_id}", Operation: ReadStatus, Version: "v1", Permission: getV1},
	{Method: "POST", Path: "/universal/v3/universal-submit/file-upload-url", Operation: CreateUploadURL, Version: "v3", Permission: postV3},
	{Method: "POST", Path: "/universal/v3/universal-submit/file/{tx_id}", Operation: TriggerSubmission, Version: "v3", Permission: postV3},
	{Method: "GET", Path: "/universal/v3/universal-submit/status/{tx_id}", Operation: ReadStatus, Version: "v3", Permission: getV3},
	{Method: "POST", Path: "/universal/v4/universal-submit/file-upload-url", Operation: CreateUploadURL, Version: "v4", Permission: postV3},
	{Method: "POST", Path: "/universal/v4/universal-submit/file/{tx_id}", Operation: TriggerSubmission, Version: "v4", Permission: postV3},
	{Method: "GET", Path: "/universal/v4/universal-submit/status/{tx_id}", Operation: ReadStatus, Version: "v4", Permission: getV3},
	{Method: "GET", Path: "/universal/v4/universal-submit/status/{tx_id}/details", Operation: ReadStatusDetails, Version: "v4", Permission: getV3},
	{Method: "POST", Path: "/universal/v3/universal-submit/file", Operation: SubmitFile, Version: "v3", Permission: postV3, Upload: true},
	{Method: "POST", Path: "/universal/v4/universal-submit/file", Operation: SubmitFile, Version: "v4", Permission: postV3, Upload: true},

	// No permission names the later versions of the inquiry: that of version 2 allows
	// their routes.
	{Method: "GET", Path: "/data/v3/{dp_id}/{tx_id}", Operation: ReadData, Version: "v3", Permission: "::data/v2:get"},
	{Method: "GET", Path: "/data/v4/{dp_id}/{tx_id}", Operation: ReadData, Version: "v4", Permission: "::data/v2:get"},
	{Method: "GET", Path: "/data/v5/{dp_id}/{tx_id}", Operation: ReadData, Version: "v5", Permission: "::data/v2:get"},
	{Method: "POST", Path: "/company/v1/quick_submit", Operation: QuickSubmitCompany, Version: "v1", Permission: "::company/v1/quick_submit:post"},

	// Only the permissions of these routes are known.
	{Method: "POST", Path: "/location/v1/location_submit", Operation: NotImplemented, Version: "v1", Permission: "::location/v1/location_submit:post"},
	{Method: "GET", Path: "/audit/v1/report/*", Operation: NotImplemented, Version: "v1", Permission: "::audit/v1/report:get"},

	{Method: "GET", Path: "/hooks", Operation: ListHooks, Family: Hooks, Permission: "::hooks:get"},
	{Method: "POST", Path: "/hooks", Operation: CreateHook, Family: Hooks, Permission: "::hooks:post"},
	{Method: "GET", Path: "/hooks/{hook_id}", Operation: ReadHook, Family: Hooks, Permission: "::hooks:get"},
	{Method: "PUT", Path: "/hooks/{hook_id}", Operation: UpdateHook, Family: Hooks, Permission: "::hooks:put"},
	{Method: "PATCH", Path: "/hooks/{hook_id}", Operation: UpdateHook, Family: Hooks, Permission: "::hooks:put"},
	{Method: "DELETE", Path: "/hooks/{hook_id}", Operation: DeleteHook, Family: Hooks, Permission: "::hooks:delete"},
	{Method: "GET", Path: "/hooks/{hook_id}/requests", Operation: ListHookRequests, Family: Hooks, Permission: "::hooks:get"},
	{Method: "POST", Path: "/hooks/{hook_id}/requests/{request_id}/redeliver", Operation: RedeliverToHook, Family: Hooks, Permission: "::hooks:post"},
}
