package main

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"understudy.example/internal/control"
	"understudy.example/internal/worker"
)

// Config is how a server is to run.
type Config struct {
	Listen         string `env:"LISTEN_ADDR" default:"127.0.0.1:8080" help:"Address of the API; port 0 picks a free one."`
	Control        string `env:"CONTROL_ADDR" default:"127.0.0.1:8081" help:"Address of the control listener; empty turns it off."`
	DatabaseURL    string `env:"DATABASE_URL" help:"Postgres to use; empty starts a private one under the data directory."`
	DataDir        string `env:"DATA_DIR" default:".data" help:"Directory of the private Postgres and of uploaded files."`
	Ephemeral      bool   `env:"EPHEMERAL" help:"Serve while standard input is open, with a data directory of its own that is removed at the end. For tests."`
	ObjectsURL     string `env:"OBJECTS_URL" help:"Where uploaded files are kept: file:///path; empty is objects/ in the data directory."`
	Environment    string `env:"ENVIRONMENT" default:"sandbox" help:"Name bound into every token, upload address and stored secret."`
	Profile        string `env:"PROFILE" enum:"local,uat" default:"local" help:"local seeds demo credentials; uat refuses to start where a shared deployment would be unsafe."`
	PublicURL      string `env:"PUBLIC_URL" help:"Where clients reach the API; empty takes scheme and host of each request."`
	ControlHosts   string `env:"CONTROL_HOSTS" help:"Names, separated by commas, that control calls may be addressed to beside this machine's own."`
	ControlToken   string `env:"CONTROL_TOKEN" help:"Bearer token that control calls need; empty asks for none."`
	MasterKey      string `env:"MASTER_KEY" help:"32 bytes in base64: protects stored secrets. The local profile makes one in the data directory."`
	MaxUploadBytes int64  `env:"MAX_UPLOAD_BYTES" default:"104857600" help:"Largest file that an upload may hold."`

	ReadTime        time.Duration `env:"READ_TIME" default:"30s" help:"Longest time that the reading of one document may take."`
	ReadMemoryBytes int64         `env:"READ_MEMORY_BYTES" default:"536870912" help:"Most memory that the reading of one document may take."`

	SignatureDigest string `env:"SIGNATURE_DIGEST" enum:"sha256,sha1" default:"sha256" help:"Digest of the X-Signature of webhook deliveries: sha256 or sha1."`
	SignaturePrefix string `env:"SIGNATURE_PREFIX" enum:"on,off" default:"on" help:"Whether X-Signature begins with the digest's name, as in sha256=…: on or off."`
}

// leastMemory is what a reader needs for the smallest document.
const leastMemory = 64 << 20

// readers are the processes that read documents, size of them at most and as
// many as there are cores kept warm.
func (c *Config) readers(size int) (*worker.Pool, error) {
	if c.ReadTime <= 0 || c.ReadMemoryBytes < leastMemory {
		return nil, fmt.Errorf("READ_TIME must be above 0, and READ_MEMORY_BYTES at least %d", leastMemory)
	}
	return worker.NewPool(size, runtime.NumCPU(), worker.Limits{Wall: c.ReadTime, Memory: c.ReadMemoryBytes}), nil
}

// uat tells whether the server is a shared deployment.
func (c *Config) uat() bool { return c.Profile == "uat" }

// checkPublicURL refuses an address that no upload address can begin with.
func (c *Config) checkPublicURL() error {
	u, err := url.Parse(c.PublicURL)
	if c.PublicURL == "" || err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.RawQuery == "" && u.Fragment == "" {
		return nil
	}
	return fmt.Errorf("PUBLIC_URL %q: want an address such as https://host.example", c.PublicURL)
}

// publicKey stands in for the master key of a sandbox on a shared database.
var publicKey = sha256.Sum256([]byte("understudy, public key of local sandboxes on a shared database"))

// access says who may call the control API.
func (c *Config) access() control.Access {
	hosts := strings.Split(c.ControlHosts, ",")
	if bound, _, err := net.SplitHostPort(c.Control); err == nil && reachable(bound) == bound {
		hosts = append(hosts, bound)
	}
	return control.Access{Token: c.ControlToken, Hosts: hosts}
}

// masterKey returns the 32 bytes that protect stored secrets. Without one
// given, a private database has one of its own beside it, and a shared one gets
// a public key, as public as the demo credentials, so that all its servers agree.
func (c *Config) masterKey() ([]byte, error) {
	switch {
	case c.MasterKey != "":
		return decodeKey(c.MasterKey)
	case c.DatabaseURL != "":
		slog.Warn("no MASTER_KEY is set: stored secrets are protected by a public key, good for a sandbox only")
		return publicKey[:], nil
	}
	path := filepath.Join(c.DataDir, "master.key")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = makeKey(path)
	}
	if err != nil {
		return nil, fmt.Errorf("master key: %w", err)
	}
	return decodeKey(strings.TrimSpace(string(text)))
}

func decodeKey(text string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(key) != 32 {
		return nil, errors.New("MASTER_KEY: want 32 bytes in base64, as `openssl rand -base64 32` prints them")
	}
	return key, nil
}

// makeKey writes a new key file, whole or not at all.
func makeKey(path string) ([]byte, error) {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	text := []byte(base64.StdEncoding.EncodeToString(key) + "\n")
	file, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = file.Write(text)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return nil, err
	}
	return text, os.Rename(path+".new", path)
}
