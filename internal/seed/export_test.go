package seed

// For the comparison of the schema with the keys that the code knows.
var (
	FileFields     = fileFields
	TenantFields   = tenantFields
	DocumentFields = documentFields
)
