package sandbox

import (
	"net/http"
	"net/url"
)

// Package is a data package: a form in which the tenant sees its data.
type Package struct {
	ID     string   `json:"id"`               // ends in -c or -l, by its kind, and four digits; unique within the tenant
	Kind   string   `json:"kind"`             // "company" or "location"
	Fields []string `json:"fields,omitempty"` // the names of those that it shows; none = all
}

// Packages are the tenant's data packages, those that it was made with first.
func (s *Sandbox) Packages() []Package {
	s.t.Helper()
	var found struct{ Packages []Package }
	s.do(http.MethodGet, s.path("/packages"), nil, &found)
	return found.Packages
}

// AddPackage gives the tenant another data package. It counts at once.
func (s *Sandbox) AddPackage(another Package) {
	s.t.Helper()
	s.do(http.MethodPost, s.path("/packages"), another, nil)
}

// DropPackage drops a data package; one that the tenant was made with stays.
func (s *Sandbox) DropPackage(id string) {
	s.t.Helper()
	s.do(http.MethodDelete, s.path("/packages/"+url.PathEscape(id)), nil, nil)
}
