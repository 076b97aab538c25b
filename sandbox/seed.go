package sandbox

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"understudy.example/internal/api"
	"understudy.example/internal/seed/syntax"
)

// Seed applies the tenant with this name in a seed, a YAML file that docs/seeds.md describes, to
// the tenant of the test. Its sections replace those of the test's tenant, then the clock is set,
// and then the documents are submitted as Submit does. Faults take effect after that. Seed
// returns the tx_id of each document, in the order of the file.
//
// The clients and API keys of the seed are ignored, since they are unique on a server: the
// test's tenant keeps its own. The clock cannot be moved back.
func (s *Sandbox) Seed(path, tenant string) (txIDs []string) {
	s.t.Helper()
	found, err := readSeed(path, tenant)
	if err != nil {
		s.t.Fatalf("understudy: seed: %v", err)
	}
	faults, clock := found.sections["faults"], found.sections["clock"]
	for _, key := range []string{"clients", "api_keys", "clock", "documents", "faults"} {
		delete(found.sections, key)
	}
	s.applySeed(found, http.MethodPut, "/configuration", "", found.sections)
	if clock != nil {
		s.applySeed(found, http.MethodPost, "/clock", ".clock", clock)
		s.dropCachedToken()
	}
	for _, d := range found.documents {
		txIDs = append(txIDs, s.Submit(d.Filename, []byte(d.Text)))
	}
	if faults != nil {
		s.applySeed(found, http.MethodPut, "/configuration", "", map[string]json.RawMessage{"faults": faults})
	}
	return txIDs
}

// applySeed calls the control API with a part of the seed. If the server refuses it, the test
// fails with the place in the file; within is the path of the part in the tenant.
func (s *Sandbox) applySeed(seed seededTenant, method, path, within string, part any) {
	s.t.Helper()
	response, err := s.server.call(s.context(), method, s.tenantPath(path), part)
	if err == nil {
		err = response.Err()
	}
	var refused struct{ Message string }
	if response.Status/100 == 4 && json.Unmarshal(response.Body, &refused) == nil {
		err = syntax.Locate(seed.path, seed.root, api.ErrorAt(seed.at+within, api.NewControlError(response.Status, refused.Message)))
	}
	if err != nil {
		s.t.Fatalf("understudy: seed: %v", err)
	}
}

// seededTenant is a tenant of a seed.
type seededTenant struct {
	path      string // of the file
	root      *yaml.Node
	at        string                     // path of the tenant in the file
	sections  map[string]json.RawMessage // of its configuration, and the other keys
	documents []seededDocument
}

// seededDocument is a document of a seed, with its content in Text.
type seededDocument struct {
	File     string `json:"file"`
	Text     string `json:"text"`
	Filename string `json:"filename"`
}

// readSeed reads a tenant of a seed. The server checks the sections of its configuration.
func readSeed(path, tenant string) (seededTenant, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return seededTenant{}, err
	}
	root, converted, err := syntax.Parse(path, text)
	if err != nil {
		return seededTenant{}, err
	}
	var file struct {
		Version int                          `json:"version"`
		Tenants []map[string]json.RawMessage `json:"tenants"`
	}
	if err := decodeStrictly(converted, &file); err != nil {
		return seededTenant{}, fmt.Errorf("%s: %w", path, err)
	}
	if file.Version != 1 {
		return seededTenant{}, fmt.Errorf("%s: version: want 1", path)
	}
	var names []string
	for i, sections := range file.Tenants {
		var name string
		if err := json.Unmarshal(sections["tenant"], &name); err != nil {
			return seededTenant{}, fmt.Errorf("%s: tenant: %w", path, err)
		}
		if name == tenant {
			documents, err := readSeededDocuments(filepath.Dir(path), sections["documents"])
			if err != nil {
				return seededTenant{}, fmt.Errorf("%s: documents of %s: %w", path, tenant, err)
			}
			return seededTenant{path, root, api.ElementPath("tenants", i), sections, documents}, nil
		}
		names = append(names, name)
	}
	return seededTenant{}, fmt.Errorf("%s: there is no tenant %q; the tenants are: %s", path, tenant, strings.Join(names, ", "))
}

// readSeededDocuments reads the documents that a seed in the directory lists.
func readSeededDocuments(dir string, list json.RawMessage) (documents []seededDocument, err error) {
	if list == nil {
		return nil, nil
	}
	if err := decodeStrictly(list, &documents); err != nil {
		return nil, err
	}
	for i := range documents {
		d := &documents[i]
		if d.File == "" {
			continue
		}
		path := d.File
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		d.Text, d.Filename = string(content), cmp.Or(d.Filename, filepath.Base(path))
	}
	return documents, nil
}

// decodeStrictly unmarshals JSON, and rejects unknown keys.
func decodeStrictly(text []byte, out any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	return decoder.Decode(out)
}
