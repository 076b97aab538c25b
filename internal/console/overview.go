package console

// loadOverview loads the overview.
func loadOverview(v *visit) (any, error) {
	return v.get("/tenants")
}
