package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

const version = "v1.8.7"

// TestReleaseIsReproducible builds a release from the repository and from a copy of its
// files in another directory: the files are the same, byte for byte.
func TestReleaseIsReproducible(t *testing.T) {
	if os.Getenv("SLOW_TESTS") == "" {
		t.Skip("make slow-tests runs this test")
	}
	t.Setenv("SOURCE_DATE_EPOCH", "1767225600")
	host := runtime.GOOS + "_" + runtime.GOARCH
	first := release{Version: version, Output: filepath.Join(t.TempDir(), "files"), Platform: []string{host}, Source: ".."}
	second := release{Version: version, Output: t.TempDir(), Platform: []string{host}, Source: copyOfSource(t)}
	for _, r := range []release{first, second} {
		if err := r.run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	names := files(t, first.Output)
	if got := files(t, second.Output); !slices.Equal(names, got) {
		t.Fatalf("the second build has the files %q, want %q", got, names)
	}
	for _, name := range names {
		if !bytes.Equal(read(t, first.Output, name), read(t, second.Output, name)) {
			t.Errorf("%s differs between the builds", name)
		}
	}

	base := "understudy_1.8.7_" + host
	if want := []string{"SHA256SUMS", "Understudy.java", "understudy_1.8.7_go.tar.gz", "understudy_1.8.7_js.tgz", base + ".cdx.json", base + ".tar.gz", "understudy_1.8.7_python.tar.gz"}; !slices.Equal(names, want) {
		t.Fatalf("files %q, want %q", names, want)
	}
	for line := range strings.Lines(string(read(t, first.Output, "SHA256SUMS"))) {
		want, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if sum := sha256.Sum256(read(t, first.Output, name)); hex.EncodeToString(sum[:]) != want {
			t.Errorf("the checksum of %s is wrong", name)
		}
	}
	checkMaterials(t, read(t, first.Output, base+".cdx.json"))
	program := unpack(t, base, read(t, first.Output, base+".tar.gz"))
	out, err := exec.Command(program, "--version").CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != version {
		t.Errorf("understudy --version: %q, %v", out, err)
	}
}

// copyOfSource copies the files of the repository to a directory.
func copyOfSource(t *testing.T) string {
	t.Helper()
	directory := t.TempDir()
	names, err := sourceFiles("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		path := filepath.Join(directory, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, read(t, "..", name), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return directory
}

func files(t *testing.T, directory string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(directory)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func read(t *testing.T, directory, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(directory, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// checkMaterials checks that the bill of materials lists modules that the server uses.
func checkMaterials(t *testing.T, text []byte) {
	t.Helper()
	var bill materials
	if err := json.Unmarshal(text, &bill); err != nil {
		t.Fatal(err)
	}
	if bill.BOMFormat != "CycloneDX" || bill.Metadata.Component.Version != version {
		t.Errorf("the bill of materials is of %s, %+v", bill.BOMFormat, bill.Metadata)
	}
	for _, module := range []string{"std", "github.com/go-chi/chi/v5", "github.com/jackc/pgx/v5"} {
		if !slices.ContainsFunc(bill.Components, func(c component) bool { return c.Name == module && c.Version != "" && c.PackageURL != "" }) {
			t.Errorf("the bill of materials lacks %s", module)
		}
	}
}

// unpack checks the files of an archive, and returns the path of the program.
func unpack(t *testing.T, directory string, text []byte) (program string) {
	t.Helper()
	compressed, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for archive := tar.NewReader(compressed); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, header.Name)
		if filepath.Base(header.Name) != "understudy" {
			continue
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		program = filepath.Join(t.TempDir(), "understudy")
		if err := os.WriteFile(program, content, header.FileInfo().Mode()); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{directory + "/understudy", directory + "/LICENSE", directory + "/NOTICE", directory + "/README.md", directory + "/CHANGELOG.md"}
	if !slices.Equal(names, want) {
		t.Fatalf("the archive contains %q, want %q", names, want)
	}
	return program
}

// TestClientsCanBeInstalled installs the client for Python from its archive, and compares the
// versions of the clients with that of the release.
func TestClientsCanBeInstalled(t *testing.T) {
	t.Parallel()
	r := release{Version: "v1.8.7-rc.1", Output: t.TempDir(), Source: ".."}
	if _, err := r.packClients(time.Unix(1767225600, 0)); err != nil {
		t.Fatal(err)
	}
	for _, c := range clients {
		contents, err := c.contents("..", r.Version)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(contents, func(e entry) bool { return e.name == c.version })
		if want := `"` + c.versionText(r.Version) + `"`; i < 0 || !strings.Contains(string(contents[i].text), want) {
			t.Errorf("%s of the client for %s does not contain %s", c.version, c.name, want)
		}
	}
	if exec.Command("python3", "-c", "import pip").Run() != nil {
		t.Skip("pip is not installed")
	}
	target := t.TempDir()
	out, err := exec.Command("python3", "-m", "pip", "install", "--no-index", "--disable-pip-version-check", "--root-user-action=ignore",
		"--target", target, filepath.Join(r.Output, "understudy_1.8.7-rc.1_python.tar.gz")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"understudy/py.typed", "understudy-1.8.7rc1.dist-info/entry_points.txt"} {
		if _, err := os.Stat(filepath.Join(target, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestVersionsOfReleases(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{
		"v1.2.3": true, "v0.1.0-rc.1": true,
		"1.2.3": false, "v1.2": false, "v1.2.3+x": false, "v1.02.3": false, "": false, "latest": false,
	} {
		if got := validVersion(version); got != want {
			t.Errorf("validVersion(%q): %v, want %v", version, got, want)
		}
	}
}
