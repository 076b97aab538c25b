package sandbox

import (
	"net/http"
	"net/url"
)

// DataPackage is a data package, which determines the fields that a tenant sees
// of its data.
type DataPackage struct {
	ID     string   `json:"id"`               // unique within the tenant; ends in -c or -l, for the kind, and four digits
	Kind   string   `json:"kind"`             // "company" or "location"
	Fields []string `json:"fields,omitempty"` // names of the visible fields; all if empty
}

// DataPackages returns the tenant's data packages, starting with those that it
// was created with.
func (s *Sandbox) DataPackages() []DataPackage {
	s.t.Helper()
	var found struct{ Packages []DataPackage }
	s.callControl(http.MethodGet, s.tenantPath("/packages"), nil, &found)
	return found.Packages
}

// AddDataPackage adds a data package to the tenant. It takes effect at once.
func (s *Sandbox) AddDataPackage(dataPackage DataPackage) {
	s.t.Helper()
	s.callControl(http.MethodPost, s.tenantPath("/packages"), dataPackage, nil)
}

// RemoveDataPackage deletes a data package that AddDataPackage has added. Those
// that the tenant was created with cannot be deleted.
func (s *Sandbox) RemoveDataPackage(id string) {
	s.t.Helper()
	s.callControl(http.MethodDelete, s.tenantPath("/packages/"+url.PathEscape(id)), nil, nil)
}
