package data

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"unicode/utf8"

	"understudy.example/internal/api"
	"understudy.example/internal/field"
)

// packageIDForm is the form of a package's id. Its maximum length is not in the
// pattern, because compiling the repetition would add milliseconds to the start of each
// process.
var packageIDForm = regexp.MustCompile(`^[^\pC\pZ/?#%\x{FFFD}]+$`)

const maxPackageID = 200 // characters

// readPackage reads a data package from the request's body.
func readPackage(r *http.Request) (p Package, err error) {
	body, err := api.ReadFields(r, DefinitionFields...)
	if err != nil {
		return p, err
	}
	return parsePackage(body)
}

// DefinitionFields are the keys of a package in an imported configuration.
var DefinitionFields = []string{"id", "kind", "content", "fields"}

// parsePackage parses a data package, whose keys are known.
func parsePackage(body api.Object) (p Package, err error) {
	p.ID, _ = body.Text("id")
	if !packageIDForm.MatchString(p.ID) || utf8.RuneCountInString(p.ID) > maxPackageID || p.ID == "." || p.ID == ".." {
		return p, api.BadRequest("id: want 1 to 200 characters without spaces, /, ?, # and %%")
	}
	if err := readKind(body, &p); err != nil {
		return p, err
	}
	raw, given := body["fields"]
	if !given {
		return p, nil
	}
	if p.Content != nil {
		return p, api.BadRequest("fields: a package with a content shows all its fields: send either content or fields")
	}
	if json.Unmarshal(raw, &p.Fields) != nil || len(p.Fields) == 0 {
		return p, api.BadRequest("fields: want an array of field names, at least one")
	}
	for i, name := range p.Fields {
		if !hasField(p.Kind, name) {
			return p, api.BadRequest("fields: a %s package has no field %q", p.Kind, name)
		}
		if slices.Contains(p.Fields[:i], name) {
			return p, api.BadRequest("fields: %q is listed twice", name)
		}
	}
	return p, nil
}

// readKind reads the kind and the content of a package. The content determines the
// kind; without one, the end of the id does if it names a kind.
func readKind(body api.Object, p *Package) (err error) {
	source := "the id is that"
	kind := PackageKind(p.ID)
	if raw, given := body["content"]; given {
		content, err := api.ReadOneOf("content", raw, field.ContentNames()...)
		if err != nil {
			return err
		}
		p.Content, kind, source = &content, contentKind(content), "the content is that"
	}
	p.Kind = kind
	if raw, given := body["kind"]; given || kind == "" {
		if p.Kind, err = api.ReadOneOf("kind", raw, CompanyKind, LocationKind); err != nil {
			return err
		}
	}
	if kind != "" && p.Kind != kind {
		return api.BadRequest("kind: %s of a %s package", source, kind)
	}
	return nil
}
