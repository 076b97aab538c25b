package server

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"understudy.example/internal/postgres"
	"understudy.example/internal/retention"
	"understudy.example/internal/storage"
)

// RetentionAges are the flags for how long the server keeps submissions.
type RetentionAges struct {
	KeepSubmissions *Age `env:"KEEP_SUBMISSIONS" help:"How long submissions and company reports are kept after their end, in real time, such as 90d or 12h. 0 keeps them for ever. If not set, it is 0 in the profile local and 90d in uat."`
	KeepUploads     Age  `env:"KEEP_UPLOADS" default:"7d" help:"How long submissions that are never triggered are kept, in real time. 0 keeps them for ever."`
}

// defaultKeepSubmissions is the default of the profile uat.
const defaultKeepSubmissions = 90 * day

const day = 24 * time.Hour

// Age is a duration whose text can have days: 90d, or 1d12h.
type Age time.Duration

const maxAge = 100 * 365 * day

// UnmarshalText parses a duration in the form of Go, in which d stands for days.
func (a *Age) UnmarshalText(text []byte) error {
	days, rest, found := strings.Cut(string(text), "d")
	switch {
	case !found:
		days, rest = "0", string(text)
	case rest == "":
		rest = "0"
	}
	n, err1 := strconv.ParseUint(days, 10, 16)
	others, err2 := time.ParseDuration(rest)
	age := time.Duration(n)*day + others
	if err1 != nil || err2 != nil || others < 0 || age > maxAge {
		return fmt.Errorf("%q: want a duration of at most 100 years, such as 90d, 36h or 0", text)
	}
	*a = Age(age)
	return nil
}

// ages returns how long things are kept in the profile.
func (r RetentionAges) ages(uat bool) retention.Ages {
	ages := retention.Ages{Uploads: time.Duration(r.KeepUploads)}
	switch {
	case r.KeepSubmissions != nil:
		ages.Submissions = time.Duration(*r.KeepSubmissions)
	case uat:
		ages.Submissions = defaultKeepSubmissions
	}
	return ages
}

// CollectGarbage deletes the orphans in the object store, or only counts them if dryRun is
// set. Servers with the same configuration can be running.
func (c *Config) CollectGarbage(ctx context.Context, dryRun bool) (found retention.Garbage, err error) {
	if err := c.readSecretFiles(); err != nil {
		return found, err
	}
	url, stop, err := c.useDatabase(ctx)
	if err != nil {
		return found, err
	}
	defer stop()
	db, err := storage.Open(ctx, url, c.Environment)
	if err != nil {
		return found, err
	}
	defer db.Close()
	if err := storage.CheckSchema(ctx, db, c.Environment); err != nil {
		return found, err
	}
	backend, err := storage.OpenObjects(c.ObjectsURL, c.DataDir)
	if err != nil {
		return found, err
	}
	store, err := storage.OpenStore(ctx, db, backend, c.Environment)
	if err != nil {
		return found, fmt.Errorf("object store %s: %w", c.objectsLocation(), err)
	}
	return retention.Collect(ctx, db, store, time.Now(), dryRun)
}

// useDatabase returns the URL of the database. The private PostgreSQL of a running server
// is used as it is; otherwise it is started.
func (c *Config) useDatabase(ctx context.Context) (url string, stop func(), err error) {
	if c.DatabaseURL != "" {
		return c.DatabaseURL, func() {}, nil
	}
	if url, err := postgres.Running(ctx, c.DataDir); err == nil {
		return url, func() {}, nil
	}
	private, err := postgres.Start(ctx, c.DataDir, slog.Default())
	if err != nil {
		return "", nil, err
	}
	return private.URL(), func() { private.Stop() }, nil
}
