package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"
)

// startDatabase starts a PostgreSQL with durable commits that counts statements. The
// server's private one does not, because only a superuser can read the counts.
func startDatabase(ctx context.Context, dir string) (p *process, url string, err error) {
	bin := os.Getenv("PG_BIN")
	if bin == "" {
		found, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
		if len(found) == 0 {
			return nil, "", errors.New("PostgreSQL not found: set PG_BIN")
		}
		bin = slices.Max(found)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, "", err
	}
	attributes, err := unprivileged(dir)
	if err != nil {
		return nil, "", err
	}
	cluster := filepath.Join(dir, "cluster")
	initdb := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "-D", cluster, "-U", "bench", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	initdb.SysProcAttr, initdb.Dir = attributes, dir
	if output, err := initdb.CombinedOutput(); err != nil {
		return nil, "", fmt.Errorf("initdb: %w\n%s", err, output)
	}
	postgres := exec.CommandContext(ctx, filepath.Join(bin, "postgres"), "-D", cluster, "-k", dir,
		"-c", "listen_addresses=", "-c", "max_connections=200", "-c", "shared_preload_libraries=pg_stat_statements")
	postgres.SysProcAttr, postgres.Dir = attributes, dir
	p, err = startProcess(filepath.Dir(dir), postgres, regexp.MustCompile(`ready to accept (connections)`))
	return p, "postgres://bench@/postgres?host=" + dir, err
}

// unprivileged returns the attributes of a process that runs PostgreSQL, which refuses to
// run as root, and makes the user of the process the owner of the directory.
func unprivileged(dir string) (*syscall.SysProcAttr, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		return nil, err
	}
	uid, err := strconv.Atoi(nobody.Uid)
	if err != nil {
		return nil, err
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}, os.Chown(dir, uid, uid)
}
