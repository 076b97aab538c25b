package console

// pages lists the pages. Each file of a page declares what it loads.
var pages = []page{
	{"/", "overview", "overview", loadOverview},
	{"/tenants/{t}/submissions", "submissions", "submissions", loadSubmissions},
	{"/tenants/{t}/submissions/{tx_id}", "submission", "submissions", loadSubmission},
}
