package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"time"
)

// materials is a software bill of materials in the form of CycloneDX 1.6
// (https://cyclonedx.org/docs/1.6/json/).
type materials struct {
	Schema      string      `json:"$schema"`
	BOMFormat   string      `json:"bomFormat"`
	SpecVersion string      `json:"specVersion"`
	Version     int         `json:"version"`
	Metadata    metadata    `json:"metadata"`
	Components  []component `json:"components"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	BOMRef     string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PackageURL string     `json:"purl,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// writeMaterials lists the modules and the Go release that are in the program, as the Go linker
// recorded them.
func writeMaterials(program, output, version string, modified time.Time) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	bill := materials{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", BOMFormat: "CycloneDX", SpecVersion: "1.6", Version: 1,
		Metadata: metadata{modified.Format(time.RFC3339), component{Type: "application", BOMRef: "understudy", Name: "understudy", Version: version}},
		Components: []component{{
			Type: "library", BOMRef: "go", Name: "std", Version: strings.TrimPrefix(info.GoVersion, "go"),
			PackageURL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go"),
		}},
	}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		reference := "pkg:golang/" + module.Path + "@" + module.Version
		c := component{Type: "library", BOMRef: reference, Name: module.Path, Version: module.Version, PackageURL: reference}
		// The sum in go.sum covers the file tree and not one archive, so it is not a hash in the
		// sense of CycloneDX.
		if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(module.Sum, "h1:")); err == nil && len(sum) > 0 {
			c.Properties = []property{{"go:module:h1", hex.EncodeToString(sum)}}
		}
		bill.Components = append(bill.Components, c)
	}
	text, err := json.MarshalIndent(bill, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(output, append(text, '\n'), 0o644)
}
