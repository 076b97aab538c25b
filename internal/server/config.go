package server

import (
	"fmt"
	"net"
	"net/netip"
	"time"

	"understudy.example/internal/storage"
)

// Config is the configuration of a server: its flags and their environment
// variables.
type Config struct {
	Listen          string `env:"LISTEN_ADDR" default:"127.0.0.1:8080" help:"Address of the API listener. Port 0 picks a free port."`
	Control         string `env:"CONTROL_ADDR" default:"127.0.0.1:8081" help:"Address of the control listener. Empty turns it off."`
	DatabaseURL     string `env:"DATABASE_URL" secret:"" help:"URL of the PostgreSQL database. Empty starts a private one in the data directory."`
	DatabaseURLFile string `env:"DATABASE_URL_FILE" help:"File that contains the database URL, instead of --database-url."`

	DatabaseLimits `embed:""`

	DataDir        string         `env:"DATA_DIR" default:".data" help:"Directory of the private PostgreSQL and of uploaded files."`
	Ephemeral      bool           `env:"EPHEMERAL" help:"Serve until standard input is closed, with a temporary data directory that is deleted at the end. For tests."`
	ExitWithParent bool           `env:"EXIT_WITH_PARENT" help:"Stop when the process that started the server ends, even if it is killed. For programs that start their own server."`
	ObjectsURL     string         `env:"OBJECTS_URL" help:"Where uploaded files are stored: file:///path or s3://bucket/prefix?endpoint=https://host&region=us-east-1&path_style=true. Empty is objects/ in the data directory."`
	Environment    string         `env:"ENVIRONMENT" default:"sandbox" help:"Deployment name. Tokens and upload URLs issued under another name are rejected."`
	Profile        string         `env:"PROFILE" enum:"local,uat" default:"local" help:"local creates demo credentials. uat is for a shared deployment and refuses to start with an unsafe configuration."`
	PublicURL      string         `env:"PUBLIC_URL" help:"Base URL at which clients reach the API. Empty uses the scheme and host of each request."`
	TrustedProxies []netip.Prefix `env:"TRUSTED_PROXIES" help:"Comma-separated CIDRs of proxies whose X-Forwarded-For is used in the logs, and whose X-Forwarded-Proto and X-Forwarded-Host are used when the public URL is empty."`
	CORSOrigins    []string       `env:"CORS_ORIGINS" help:"Comma-separated origins whose pages may call the API from browsers. * allows any origin."`
	ControlHosts   string         `env:"CONTROL_HOSTS" help:"Comma-separated host names that are allowed in the Host header of control calls, besides those of this machine."`

	ControlTokenFlags `embed:""`

	MasterKey      string `env:"MASTER_KEY" secret:"" help:"32 bytes, base64-encoded, that encrypt and hash stored secrets. Without it, the profile local creates a key in the data directory, or with a database URL uses a publicly known one."`
	MasterKeyFile  string `env:"MASTER_KEY_FILE" help:"File that contains the master key, instead of --master-key."`
	Hints          string `env:"HINTS" enum:"on,off" default:"on" help:"Whether 4xx and 503 responses have a hint in the header X-Understudy-Hint: on or off."`
	Seed           string `env:"SEED" placeholder:"FILE" help:"YAML file with tenants, their credentials, configurations and documents, which the server creates at start instead of the demo tenants."`
	MaxUploadBytes int64  `env:"MAX_UPLOAD_BYTES" default:"104857600" help:"Maximum size of an uploaded file."`

	MinTransferRate          *int64 `env:"MIN_TRANSFER_RATE" help:"Minimum rate of uploads and responses in bytes per second, on average over 30 s. 0 is none. If not set, it is 0 in the profile local and 1024 in uat."`
	MaxConnectionsPerAddress int    `env:"MAX_CONNECTIONS_PER_ADDRESS" default:"0" help:"Maximum number of connections of one client address to each listener. 0 is unlimited. Trusted proxies are exempt."`

	WorkerLimits  `embed:""`
	LogOptions    `embed:""`
	RetentionAges `embed:""`
	FreeSpace     `embed:""`

	StopFlags `embed:""`

	TLSFiles `embed:""`

	WebhookNetwork `embed:""`

	SignatureDigest string `env:"SIGNATURE_DIGEST" enum:"sha256,sha1" default:"sha256" help:"Digest of the X-Signature header of webhook deliveries: sha256 or sha1."`
	SignaturePrefix string `env:"SIGNATURE_PREFIX" enum:"on,off" default:"on" help:"Whether X-Signature starts with the digest name, as in sha256=…: on or off."`
}

// DatabaseLimits limit the use of the database.
type DatabaseLimits struct {
	DatabaseConnections        int           `env:"DATABASE_CONNECTIONS" default:"32" help:"Maximum number of connections to the database. pool_max_conns in the database URL takes precedence."`
	LockTimeout                time.Duration `env:"LOCK_TIMEOUT" default:"3s" help:"Maximum time that a call waits for a lock in the database."`
	StatementTimeout           time.Duration `env:"STATEMENT_TIMEOUT" default:"10s" help:"Maximum time of each database statement of a call, and of waiting for a connection."`
	BackgroundLockTimeout      time.Duration `env:"BACKGROUND_LOCK_TIMEOUT" default:"5s" help:"Like LOCK_TIMEOUT, for background work and deliveries."`
	BackgroundStatementTimeout time.Duration `env:"BACKGROUND_STATEMENT_TIMEOUT" default:"1m" help:"Like STATEMENT_TIMEOUT, for background work and deliveries."`
}

// check returns an error if the server cannot work with the limits.
func (l DatabaseLimits) check() error {
	if l.DatabaseConnections < storage.MinConnections {
		return fmt.Errorf("DATABASE_CONNECTIONS is %d: want at least %d", l.DatabaseConnections, storage.MinConnections)
	}
	for name, timeout := range map[string]time.Duration{
		"LOCK_TIMEOUT": l.LockTimeout, "STATEMENT_TIMEOUT": l.StatementTimeout,
		"BACKGROUND_LOCK_TIMEOUT": l.BackgroundLockTimeout, "BACKGROUND_STATEMENT_TIMEOUT": l.BackgroundStatementTimeout,
	} {
		if timeout < time.Millisecond {
			return fmt.Errorf("%s is %s: want at least 1ms", name, timeout)
		}
	}
	return nil
}

func (l DatabaseLimits) limits() storage.Limits {
	return storage.Limits{
		Connections: l.DatabaseConnections,
		Calls:       storage.Timeouts{Lock: l.LockTimeout, Statement: l.StatementTimeout},
		Background:  storage.Timeouts{Lock: l.BackgroundLockTimeout, Statement: l.BackgroundStatementTimeout},
	}
}

// checkMaxUpload refuses a limit that no upload can meet.
func (c *Config) checkMaxUpload() error {
	const most = 1 << 40 // 1 TiB
	if c.MaxUploadBytes < 1 || c.MaxUploadBytes > most {
		return fmt.Errorf("MAX_UPLOAD_BYTES is %d: want 1 to %d", c.MaxUploadBytes, int64(most))
	}
	return nil
}

// uat reports whether the server is a shared deployment.
func (c *Config) uat() bool { return c.Profile == "uat" }

// Reachable returns a host name at which clients can reach a listener that is bound to
// host: an unspecified address such as 0.0.0.0 can be bound, but not dialled.
func Reachable(host string) string {
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		return "127.0.0.1"
	}
	return host
}
