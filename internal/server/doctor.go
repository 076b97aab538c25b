package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"understudy.example/internal/storage"
	"understudy.example/internal/worker"
)

// Finding is the result of one check of Examine.
type Finding struct {
	Check  string       `json:"check"` // its name
	State  FindingState `json:"state"`
	Detail string       `json:"detail"` // a sentence
}

// FindingState is the severity of a finding.
type FindingState string

// The states of a finding. Warning: a protection is missing, or memory is low. Failed:
// the server cannot start, or would be unsafe.
const (
	OK      FindingState = "ok"
	Warning FindingState = "warning"
	Failed  FindingState = "failed"
)

// Examine checks whether a server with this configuration can start on this machine,
// and which protections are active. It does not start a server. It writes an object to
// an object store in S3 and deletes it again, and changes nothing else.
func (c *Config) Examine(ctx context.Context) (findings []Finding) {
	for _, check := range []func(context.Context) []Finding{
		c.examineConfiguration, // first: it reads the secrets in files
		c.examineCertificates,
		c.examineMachine,
		c.examineDataDir,
		c.examinePostgres,
		c.examineObjects,
		c.examineSandbox,
	} {
		findings = append(findings, check(ctx)...)
	}
	return findings
}

// found returns one finding: OK with the detail or, if err is not nil, Failed with the
// text of err.
func found(check string, err error, detail string, arguments ...any) []Finding {
	if err != nil {
		return []Finding{{check, Failed, err.Error()}}
	}
	return []Finding{{check, OK, fmt.Sprintf(detail, arguments...)}}
}

func (c *Config) examineConfiguration(ctx context.Context) []Finding {
	_, err := c.options(ctx)
	if err == nil && c.MasterKey != "" {
		_, err = decodeKey(c.MasterKey)
	}
	if err == nil {
		err = c.WorkerLimits.check()
	}
	return found("configuration", err, "The flags and environment variables are valid for the profile %s.", c.Profile)
}

func (c *Config) examineMachine(context.Context) []Finding {
	now := time.Now()
	findings := found("machine", nil, "%s/%s with %d cores; the time is %s.", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), now.Format(time.RFC3339))
	if now.Year() < 2025 {
		findings[0].State, findings[0].Detail = Warning, findings[0].Detail+" Set the clock: tokens and signatures contain the time."
	}
	const gib = 1 << 30
	memory := machineMemory()
	if memory < 2*c.ReadMemoryBytes {
		return append(findings, Finding{"memory", Warning, fmt.Sprintf("The machine has %.1f GiB of memory, and one document can use %.1f GiB: lower --read-memory-bytes.",
			float64(memory)/gib, float64(c.ReadMemoryBytes)/gib)})
	}
	return append(findings, found("memory", nil, "The machine has %.1f GiB of memory; one document can use %.1f GiB and %v of CPU time.", float64(memory)/gib, float64(c.ReadMemoryBytes)/gib, c.ReadTime)...)
}

// examineDataDir checks the data directory or, if it does not exist yet, the directory
// in which it would be created.
func (c *Config) examineDataDir(context.Context) []Finding {
	dir, err := filepath.Abs(c.DataDir)
	if err != nil {
		return found("data directory", err, "")
	}
	existing := dir
	info, err := os.Stat(existing)
	for errors.Is(err, fs.ErrNotExist) && existing != filepath.Dir(existing) {
		existing = filepath.Dir(existing)
		info, err = os.Stat(existing)
	}
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a directory", existing)
	}
	if err = cmp.Or(err, writable(existing)); err != nil {
		return found("data directory", fmt.Errorf("%s cannot be used: %w", dir, err), "")
	}
	if existing != dir {
		return found("data directory", nil, "%s does not exist yet; the server can create it.", dir)
	}
	return found("data directory", nil, "The server can write to %s.", dir)
}

// examinePostgres checks the private PostgreSQL.
func (c *Config) examinePostgres(ctx context.Context) []Finding {
	if c.DatabaseURL != "" {
		return c.examineDatabase(ctx)
	}
	return examinePrivatePostgres(ctx, c.DataDir)
}

// examineDatabase checks the configured database, and what earlier servers have stored in
// it and in the object store.
func (c *Config) examineDatabase(ctx context.Context) []Finding {
	const check = "PostgreSQL"
	ctx, cancel := context.WithTimeout(ctx, databaseTimeout)
	defer cancel()
	db, err := storage.Open(ctx, c.DatabaseURL, c.Environment)
	if err != nil {
		return found(check, err, "")
	}
	defer db.Close()
	if err := storage.CheckReachable(ctx, db); err != nil {
		return found(check, err, "")
	}
	findings := found(check, nil, "The database of DATABASE_URL accepts connections, and the server does not start a private PostgreSQL.")
	master, err := c.masterKey()
	if err != nil { // the finding about the configuration has the reason
		return findings
	}
	for _, condition := range c.startChecks() {
		findings = append(findings, found(condition.name, condition.check(ctx, db, master), "%s", condition.met)...)
	}
	return findings
}

// databaseTimeout limits the time of all checks of the database and of what it refers to.
const databaseTimeout = 20 * time.Second

// examineObjects checks an object store in S3. Nothing is written to a directory, because
// it may have to be created.
func (c *Config) examineObjects(ctx context.Context) []Finding {
	const check = "object store"
	if !strings.HasPrefix(c.ObjectsURL, "s3:") {
		return nil
	}
	backend, err := storage.OpenObjects(c.ObjectsURL, c.DataDir)
	if err == nil {
		err = storage.Probe(ctx, backend)
	}
	return found(check, err, "The server can read, write and delete objects in %s.", c.ObjectsURL)
}

// examineSandbox checks the layers of the sandbox of worker processes, by starting one.
func (c *Config) examineSandbox(context.Context) (findings []Finding) {
	layers, err := worker.ProbeSandbox(worker.Limits{Time: c.ReadTime, Memory: c.ReadMemoryBytes})
	if err != nil {
		return found("worker sandbox", err, "")
	}
	for _, layer := range layers {
		finding := Finding{"worker sandbox: " + layer.Name, OK, layer.Detail}
		if !layer.Holds {
			finding.State, finding.Detail = Failed, "It is missing: "+layer.Detail+"."
		}
		if !layer.Holds && layer.Optional {
			finding.State = Warning
		}
		findings = append(findings, finding)
	}
	return append(findings, found("worker sandbox: limits", nil,
		"A document can use one core, %v of CPU time and %d MiB of memory; the process cannot write to files.", c.ReadTime, c.ReadMemoryBytes>>20)...)
}
