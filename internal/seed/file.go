// Package seed reads seeds, which are YAML files with tenants, their credentials, their
// configurations and documents to submit, and applies them when a server starts. A tenant
// of a seed is an imported configuration with a clock and documents; package configuration
// imports it. The demo tenants of the profile local are such a file, demo.yaml.
package seed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/configuration"
	"understudy.example/internal/control"
	"understudy.example/internal/seed/syntax"
)

// Limits of a seed.
const (
	maxTenants   = 1000
	maxDocuments = 1000 // of a tenant
)

// Keys of a seed, of a tenant besides those of a configuration, and of a document.
var (
	fileFields     = []string{"version", "tenants"}
	tenantFields   = append([]string{"clock", "documents"}, configuration.Fields...)
	documentFields = []string{"file", "text", "filename"}
)

// Error is an error in a seed, with its position in the file.
type Error = syntax.Error

// File is a seed.
type File struct {
	Name string // shown in messages

	root    *yaml.Node
	tenants []tenant
}

// tenant is a tenant of a seed.
type tenant struct {
	at        string     // path
	name      string     // unique
	body      api.Object // the sections of its configuration
	clock     *control.SeededClock
	documents []document
}

// document is a document to submit.
type document struct {
	at       string // path
	filename string // unique among the documents of the tenant
	path     string // of the file; "" = its content is text
	text     string
}

// Read reads a seed from a file. The paths of its documents are relative to the directory
// of the file. If the content of the file is wrong, the error is an *Error.
func Read(path string) (*File, error) {
	text, err := readFile(path, syntax.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("read seed: %w", err)
	}
	return Parse(path, text)
}

// Parse parses a seed. The error is an *Error. The values in sections of configurations
// are not checked before the seed is applied.
func Parse(path string, text []byte) (*File, error) {
	root, converted, err := syntax.Parse(path, text)
	if err != nil {
		return nil, err
	}
	f := &File{Name: path, root: root}
	if f.tenants, err = parseTenants(filepath.Dir(path), converted); err != nil {
		return nil, f.locate(err)
	}
	return f, nil
}

// locate returns the error with its place in the file.
func (f *File) locate(err error) error { return syntax.Locate(f.Name, f.root, err) }

func parseTenants(dir string, text []byte) ([]tenant, error) {
	var file api.Object
	if json.Unmarshal(text, &file) != nil || file == nil {
		return nil, api.BadRequest("want an object with the keys version and tenants")
	}
	if err := api.CheckKeys("", file, fileFields...); err != nil {
		return nil, err
	}
	if string(file["version"]) != "1" {
		return nil, api.BadRequest("version: want 1")
	}
	objects, err := api.ReadObjects("tenants", file["tenants"], maxTenants)
	if err != nil {
		return nil, err
	}
	tenants := make([]tenant, len(objects))
	for i, object := range objects {
		path := api.ElementPath("tenants", i)
		if err := api.CheckKeys(path, object, tenantFields...); err != nil {
			return nil, err
		}
		if tenants[i], err = parseTenant(dir, path, object); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(tenants[:i], func(other tenant) bool { return other.name == tenants[i].name }) {
			return nil, api.BadRequest("%s.tenant: %q is listed twice", path, tenants[i].name)
		}
	}
	return tenants, nil
}

func parseTenant(dir, at string, object api.Object) (tenant, error) {
	t := tenant{at: at, body: object}
	name, err := api.ReadText(at+".tenant", object["tenant"])
	if err != nil {
		return tenant{}, err
	}
	if t.name = name; !auth.ValidTenantName(name) {
		return tenant{}, api.BadRequest("%s.tenant: want 1 to 63 lower-case letters, digits and hyphens, not starting with a hyphen", at)
	}
	if raw, given := object["clock"]; given {
		clock, err := control.ParseSeededClock(at+".clock", raw)
		if err != nil {
			return tenant{}, err
		}
		t.clock = &clock
	}
	if raw, given := object["documents"]; given {
		objects, err := api.ReadObjects(at+".documents", raw, maxDocuments)
		if err != nil {
			return tenant{}, err
		}
		if t.documents, err = parseDocuments(dir, at+".documents", objects); err != nil {
			return tenant{}, err
		}
	}
	delete(t.body, "documents") // the rest is parsed as a configuration
	return t, nil
}

func parseDocuments(dir, at string, objects []api.Object) ([]document, error) {
	documents := make([]document, len(objects))
	for i, object := range objects {
		path := api.ElementPath(at, i)
		if err := api.CheckKeys(path, object, documentFields...); err != nil {
			return nil, err
		}
		d := document{at: path}
		file, isFile := object["file"]
		text, isText := object["text"]
		if isFile == isText {
			return nil, api.BadRequest("%s: want either file or text", path)
		}
		if isFile {
			name, err := api.ReadText(path+".file", file)
			if err != nil {
				return nil, err
			}
			if d.path, d.filename = name, filepath.Base(name); !filepath.IsAbs(name) {
				d.path = filepath.Join(dir, name)
			}
		} else if json.Unmarshal(text, &d.text) != nil || bytes.Equal(text, []byte("null")) {
			return nil, api.BadRequest("%s.text: want a text", path)
		}
		if raw, given := object["filename"]; given || isText {
			name, err := api.ReadText(path+".filename", raw)
			if err != nil {
				return nil, err
			}
			d.filename = name
		}
		if slices.ContainsFunc(documents[:i], func(other document) bool { return other.filename == d.filename }) {
			return nil, api.BadRequest("%s.filename: %q is used twice", path, d.filename)
		}
		documents[i] = d
	}
	return documents, nil
}

// Clients returns the clients in the seed: the first one of each tenant, then the others.
func (f *File) Clients() []auth.Demo {
	var first, others []auth.Demo
	for _, t := range f.tenants {
		var keys []string
		json.Unmarshal(t.body["api_keys"], &keys)
		var listed []struct {
			ID          string   `json:"client_id"`
			Secret      string   `json:"client_secret"`
			Permissions []string `json:"permissions"`
		}
		json.Unmarshal(t.body["clients"], &listed) // what is invalid is reported when the seed is applied
		for i, c := range listed {
			if c.Permissions == nil {
				c.Permissions = auth.AllPermissions
			}
			demo := auth.Demo{Tenant: t.name, ClientID: c.ID, ClientSecret: c.Secret, Permissions: c.Permissions}
			if len(keys) > 0 {
				demo.APIKey = keys[0]
			}
			if i == 0 {
				first = append(first, demo)
			} else {
				others = append(others, demo)
			}
		}
	}
	return append(first, others...)
}
