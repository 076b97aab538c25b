package console

import "slices"

// pages lists the pages. Each file of a page declares what it loads.
var pages = slices.Concat([]page{
	{"/", "overview", "overview", loadOverview},
	{"/tenants/{t}/requests", "requests", "requests", loadRequests},
	{"/tenants/{t}/requests/{id}", "request", "requests", loadRequest},
	{"/docs", "reference", "reference", loadReference},
	{"/docs/control", "reference", "reference", loadControlReference},
	{"/requests", "requests", "requests", loadRequests},
	{"/requests/{id}", "request", "requests", loadRequest},
	{"/tenants/{t}/submissions", "submissions", "submissions", loadSubmissions},
	{"/tenants/{t}/submissions/{tx_id}", "submission", "submissions", loadSubmission},
}, webhookPages, controlPages)
