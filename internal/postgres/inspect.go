//go:build linux || darwin

package postgres

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
)

// Facts describes the private Postgres of a data directory.
type Facts struct {
	BinDir         string   // the installed programs that would be used; "" if there are none
	Rejected       []string // installed programs that cannot be used, with the reasons
	ClusterVersion string   // major version of the cluster; "" if there is none yet

	// The other facts are known only if there is a cluster.

	SocketDir      string
	SocketDirMode  fs.FileMode
	SocketDirOwner int      // user ID
	Authentication []string // methods by which clients can authenticate
	Running        bool     // it runs and accepts the server's password
	Superuser      bool     // the server's role is a superuser; known only if it runs
}

// Inspect returns the facts about the private Postgres of the data directory,
// without changing anything. A server may be using the directory.
func Inspect(ctx context.Context, dir string) (facts Facts, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return facts, err
	}
	s := &Server{dir: dir, socketDir: filepath.Join(dir, "postgres")}
	if facts.ClusterVersion, err = s.clusterVersion(); err != nil {
		return facts, err
	}
	if err := s.checkReleased(); err != nil {
		return facts, err
	}
	if s.cred, err = credentialFor(s.clusterDir()); err != nil {
		return facts, err
	}
	facts.BinDir, facts.Rejected = findInstalled(ctx, facts.ClusterVersion, s.cred)
	if facts.ClusterVersion == "" {
		return facts, nil
	}
	if facts.Authentication, err = authenticationMethods(s.rulesPath()); err != nil {
		return facts, err
	}
	connection, err := pgx.ParseConfig(s.serviceConnection())
	if err == nil { // otherwise the service file is missing
		s.socketDir = connection.Host
		if conn, err := pgx.ConnectConfig(ctx, connection); err == nil {
			defer conn.Close(ctx)
			facts.Running = true
			if err := conn.QueryRow(ctx, "select rolsuper from pg_roles where rolname = current_user").Scan(&facts.Superuser); err != nil {
				return facts, fmt.Errorf("inspect PostgreSQL: %w", err)
			}
		}
	}
	facts.SocketDir = s.socketDir
	info, err := os.Stat(s.socketDir)
	if err != nil {
		return facts, err
	}
	facts.SocketDirMode, facts.SocketDirOwner = info.Mode().Perm(), int(info.Sys().(*syscall.Stat_t).Uid)
	return facts, nil
}

// serviceConnection returns the connection string that refers to the service file.
func (s *Server) serviceConnection() string {
	return "servicefile='" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s.servicePath()) + "' service=" + role
}

// Running returns the connection string of the private Postgres that a server of
// the data directory has started. It is an error if none is running.
func Running(ctx context.Context, dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	connection := (&Server{dir: dir}).serviceConnection()
	conn, err := pgx.Connect(ctx, connection)
	if err != nil {
		return "", fmt.Errorf("no PostgreSQL runs in %s: %w", dir, err)
	}
	return connection, conn.Close(ctx)
}

// authenticationMethods returns the methods in a pg_hba.conf that lists no options.
func authenticationMethods(path string) (methods []string, err error) {
	rules, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(rules)) {
		fields := strings.Fields(line)
		if len(fields) > 0 && !strings.HasPrefix(fields[0], "#") {
			methods = append(methods, fields[len(fields)-1])
		}
	}
	slices.Sort(methods)
	return slices.Compact(methods), nil
}
