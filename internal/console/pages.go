package console

import "slices"

// pages lists the pages. Each file of a page declares what it loads.
var pages = slices.Concat([]page{
	{"/", "overview", "overview", loadOverview},
}, webhookPages, controlPages)
