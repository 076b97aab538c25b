package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

// validVersion reports whether the version is a complete semantic version with a "v", and
// without build metadata.
func validVersion(version string) bool {
	return semver.IsValid(version) && semver.Canonical(version) == version
}

// documents are the files of the repository that each archive contains.
var documents = []string{"LICENSE", "NOTICE", "release/README.md", "CHANGELOG.md"}

// build builds the server for a platform, and returns the names of the files that it wrote
// to the output directory.
func (r *release) build(ctx context.Context, p platform, modified time.Time) ([]string, error) {
	scratch, err := os.MkdirTemp("", "release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	program := filepath.Join(scratch, "understudy")
	if p.OS == "windows" {
		program += ".exe"
	}
	if err := r.compile(ctx, p, program); err != nil {
		return nil, err
	}

	name := fmt.Sprintf("understudy_%s_%v", strings.TrimPrefix(r.Version, "v"), p)
	binary, err := fileEntry(program, 0o755)
	if err != nil {
		return nil, err
	}
	contents := []entry{binary}
	for _, document := range documents {
		e, err := fileEntry(filepath.Join(r.Source, document), 0o644)
		if err != nil {
			return nil, err
		}
		contents = append(contents, e)
	}
	archive, write := name+".tar.gz", writeTar
	if p.OS == "windows" {
		archive, write = name+".zip", writeZip
	}
	if err := write(filepath.Join(r.Output, archive), name, contents, modified); err != nil {
		return nil, err
	}
	materials := name + ".cdx.json"
	if err := writeMaterials(program, filepath.Join(r.Output, materials), r.Version, modified); err != nil {
		return nil, err
	}
	return []string{archive, materials}, nil
}

// compile builds the server. Neither the directory of the source nor the state of the
// repository changes the program's bytes.
func (r *release) compile(ctx context.Context, p platform, program string) error {
	module, err := exec.CommandContext(ctx, "go", "-C", r.Source, "list", "-m").Output()
	if err != nil {
		return fmt.Errorf("find the module: %w", err)
	}
	stamp := fmt.Sprintf("-X %s/internal/version.stamped=%s", bytes.TrimSpace(module), r.Version)
	command := exec.CommandContext(ctx, "go", "-C", r.Source, "build", "-trimpath", "-buildvcs=false",
		"-ldflags=-s -w -buildid= "+stamp, "-o", program, "./cmd/server")
	// No other environment variable affects the program.
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.OS, "GOARCH="+p.Arch, "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOFIPS140=off")
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}
