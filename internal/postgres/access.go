//go:build linux || darwin

package postgres

import (
	"context"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// role is the server's role, which is not a superuser. It owns the database of the
	// same name. access.sql names both.
	role = "understudy"
	// superuser is the role that owns the cluster. Connections as this role are
	// rejected.
	superuser = "understudy_superuser"
	// accessRules is the content of pg_hba.conf. It is written after the role has
	// a password, so it marks a cluster whose access is restricted.
	accessRules = "# Only the server's role can connect, to its own database and with a password.\n" +
		"local " + role + " " + role + " scram-sha-256\n"
)

// accessSQL creates the server's role, and its database if there is none.
//
//go:embed access.sql
var accessSQL string

func (s *Server) rulesPath() string { return filepath.Join(s.clusterDir(), "pg_hba.conf") }

// servicePath returns the path of a connection service file, with which psql connects.
// The password is stored nowhere else.
func (s *Server) servicePath() string { return filepath.Join(s.dir, "pg_service.conf") }

// checkReleased returns an error if a server from before the first release created the
// cluster. It had no password, and Postgres trusted everyone who could open its socket.
func (s *Server) checkReleased() error {
	methods, err := authenticationMethods(s.rulesPath())
	if errors.Is(err, fs.ErrNotExist) { // there is no cluster yet
		return nil
	}
	if err != nil || !slices.Contains(methods, "trust") {
		return err
	}
	if _, err := os.Stat(s.servicePath()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return fmt.Errorf("the data directory %s was created before the first release, and this server cannot upgrade it; nothing has been changed: "+
		"use another --data-dir, or delete this one if its data is no longer needed, or keep using the older server", s.dir)
}

// preparePassword reads the password of the server's role, or generates one if
// there is none, and writes the service file for this start. It sets s.restricted
// if the cluster has that password already.
func (s *Server) preparePassword() error {
	service, err := os.ReadFile(s.servicePath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for line := range strings.Lines(string(service)) {
		if password, found := strings.CutPrefix(line, "password="); found {
			s.password = strings.TrimSpace(password)
		}
	}
	rules, err := os.ReadFile(s.rulesPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	s.restricted = s.password != "" && string(rules) == accessRules
	if s.password == "" {
		s.password = rand.Text()
	}
	content := fmt.Sprintf("[%s]\nhost=%s\nport=%s\ndbname=%s\nuser=%s\npassword=%s\n",
		role, s.socketDir, socketPort, role, role, s.password)
	if content == string(service) {
		return os.Chmod(s.servicePath(), 0o600)
	}
	return writeFile(s.servicePath(), content, nil)
}

// restrictAccess ensures that only the server's role can connect, with the password,
// and that it is not a superuser. Postgres must not be running. A new cluster, and one
// with a different password, are changed in single-user mode. Doing it twice is harmless.
func (s *Server) restrictAccess(ctx context.Context) error {
	if err := s.ownCluster(); err != nil {
		return err
	}
	if s.restricted {
		return nil
	}
	verifier, err := scramVerifier(s.password)
	if err != nil {
		return err
	}
	if err := s.runSingleUser(ctx, "template1", strings.ReplaceAll(accessSQL, "@verifier", verifier)); err != nil {
		return fmt.Errorf("restrict access to the database: %w%s", err, s.logTail())
	}
	if err := writeFile(s.rulesPath(), accessRules, s.cred); err != nil {
		return err
	}
	s.restricted = true
	return nil
}

// ownCluster makes the cluster accessible only to the user that Postgres runs as. Under
// root, it may belong to another user, such as the one who has copied it.
func (s *Server) ownCluster() error {
	info, err := os.Stat(s.clusterDir())
	if err != nil {
		return err
	}
	if s.cred != nil && info.Sys().(*syscall.Stat_t).Uid != s.cred.Uid {
		if err := filepath.WalkDir(s.clusterDir(), func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(path, int(s.cred.Uid), int(s.cred.Gid))
		}); err != nil {
			return err
		}
	}
	return os.Chmod(s.clusterDir(), 0o700)
}

// runSingleUser runs the SQL statements as the superuser, without a server that
// others could connect to. The SQL is not visible in the process list.
func (s *Server) runSingleUser(ctx context.Context, database, sql string) error {
	options := []string{"--single", "-j", "-c", "exit_on_error=on"} // -j: an empty line ends a statement
	cmd, closeFiles, err := s.command(ctx, "postgres", s.clusterDir(), options, database)
	if err != nil {
		return err
	}
	defer closeFiles()
	cmd.Stdin, cmd.Stdout = strings.NewReader(sql), nil
	return cmd.Run()
}

// isRejection reports whether Postgres rejected the connection because the password or
// pg_hba.conf is a different one, or the database does not exist.
func isRejection(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (strings.HasPrefix(pg.Code, "28") || pg.Code == "3D000")
}

// scramVerifier returns what Postgres stores instead of the password (RFC 5803), so
// that the password itself is in no statement.
func scramVerifier(password string) (string, error) {
	const iterations = 4096
	salt := make([]byte, 16)
	rand.Read(salt)
	salted, err := pbkdf2.Key(sha256.New, password, salt, iterations, sha256.Size)
	if err != nil {
		return "", err
	}
	sign := func(text string) []byte {
		mac := hmac.New(sha256.New, salted)
		mac.Write([]byte(text))
		return mac.Sum(nil)
	}
	storedKey := sha256.Sum256(sign("Client Key"))
	encode := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", iterations, encode(salt), encode(storedKey[:]), encode(sign("Server Key"))), nil
}

// writeFile replaces the file at path, which only its owner can then read: the given
// user or, if that is nil, the current one.
func writeFile(path, content string, owner *syscall.Credential) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	defer f.Close()
	if owner != nil {
		if err := f.Chown(int(owner.Uid), int(owner.Gid)); err != nil {
			return err
		}
	}
	if _, err := f.WriteString(content); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
