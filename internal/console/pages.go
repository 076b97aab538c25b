package console

// pages lists the pages. Each file of a page declares what it loads.
var pages = []page{
	{"/", "overview", "overview", loadOverview},
}
