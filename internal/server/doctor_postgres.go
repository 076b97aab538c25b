//go:build linux || darwin

package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"

	"understudy.example/internal/postgres"
)

// examinePrivatePostgres checks the programs of the private PostgreSQL and, if the data
// directory has a cluster, the access to it.
func examinePrivatePostgres(ctx context.Context, dir string) []Finding {
	facts, err := postgres.Inspect(ctx, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return found("PostgreSQL", err, "")
	}
	findings := examinePrograms(facts)
	switch {
	case facts.ClusterVersion == "":
		return findings
	case err != nil:
		return append(findings, Finding{"PostgreSQL access", Warning, fmt.Sprintf("The access to the private PostgreSQL is unknown (%v). The next start restricts it.", err)})
	}
	access := found("PostgreSQL access", nil, "Its socket is in %s with mode %#o of user %d; clients authenticate by %s.",
		facts.SocketDir, facts.SocketDirMode, facts.SocketDirOwner, strings.Join(facts.Authentication, ", "))
	if facts.SocketDirMode&0o077 != 0 || slices.Contains(facts.Authentication, "trust") {
		access[0].State = Warning
		access[0].Detail += " Other users of this machine may be able to connect."
	}
	switch {
	case facts.Superuser:
		access[0].State = Warning
		access[0].Detail += " The server's role is a superuser."
	case facts.Running:
		access[0].Detail += " The server's role is not a superuser."
	}
	return append(findings, access...)
}

func examinePrograms(facts postgres.Facts) []Finding {
	if facts.BinDir != "" {
		return found("PostgreSQL", nil, "The programs of the private PostgreSQL are in %s.", facts.BinDir)
	}
	rejected := ""
	if len(facts.Rejected) > 0 {
		rejected = " (" + strings.Join(facts.Rejected, "; ") + ")"
	}
	pgBin := os.Getenv("PG_BIN")
	if pgBin != "" {
		return found("PostgreSQL", fmt.Errorf("PostgreSQL was not found in PG_BIN=%s%s", pgBin, rejected), "")
	}
	if _, err := exec.LookPath("npm"); err == nil {
		return []Finding{{"PostgreSQL", Warning, "PostgreSQL is not installed" + rejected + "; the first start downloads it with npm."}}
	}
	return found("PostgreSQL", fmt.Errorf("PostgreSQL is not installed%s: install it, or set DATABASE_URL", rejected), "")
}
