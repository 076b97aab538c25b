package sandbox

import (
	"net/http"
	"net/url"
)

// DataPackage is a data package, which determines the fields that a tenant sees
// of its data.
type DataPackage struct {
	ID      string   `json:"id"`                // unique within the tenant
	Kind    string   `json:"kind,omitempty"`    // "company" or "location"; "" for that of Content, or else the one that the end of the ID names
	Content string   `json:"content,omitempty"` // the line of business that it shows in version 5, such as ContentAuto; "" for the fields of version 2
	Fields  []string `json:"fields,omitempty"`  // names of the visible fields; all if empty, as with a Content
}

// Values of DataPackage.Content and keys of Outcome.Packages.
const (
	ContentCommon              = "common"
	ContentGeneralLiability    = "general-liability"
	ContentAuto                = "auto"
	ContentWorkersCompensation = "workers-compensation"
	ContentLossRun             = "loss-run"
	ContentProperty            = "property"
	ContentAdvancedProperty    = "advanced-property"
)

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

// ContentPackageID returns the ID of the tenant's first data package with the
// content. Every tenant is created with one of each content.
func (s *Sandbox) ContentPackageID(content string) string {
	s.t.Helper()
	for _, p := range s.DataPackages() {
		if p.Content == content && content != "" {
			return p.ID
		}
	}
	s.t.Fatalf("understudy: tenant %s has no data package with the content %q", s.TenantName, content)
	return ""
}

// RemoveDataPackage deletes a data package that AddDataPackage has added. Those
// that the tenant was created with cannot be deleted.
func (s *Sandbox) RemoveDataPackage(id string) {
	s.t.Helper()
	s.callControl(http.MethodDelete, s.tenantPath("/packages/"+url.PathEscape(id)), nil, nil)
}
