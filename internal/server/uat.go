package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"understudy.example/internal/auth"
	"understudy.example/internal/seed"
	"understudy.example/internal/storage"
)

// checkShared returns an error with every reason why a shared deployment with this
// configuration would be unsafe, and with the reason if the database cannot be checked.
// It changes nothing.
func (c *Config) checkShared(ctx context.Context, seeded *seed.File) error {
	var reasons []string
	var unchecked error
	if c.MasterKey == "" {
		reasons = append(reasons, "MASTER_KEY is not set")
	} else if key, err := decodeKey(c.MasterKey); err != nil {
		reasons = append(reasons, err.Error())
	} else if bytes.Equal(key, publicKey[:]) {
		reasons = append(reasons, "MASTER_KEY is the public key of local sandboxes")
	}
	reasons = append(reasons, c.unsafeControlTokens()...)
	if reason := c.unsafePublicURL(); reason != "" {
		reasons = append(reasons, reason)
	}
	if seeded != nil && seeded.IsDemo() {
		reasons = append(reasons, "the seed contains the id, the secret or the API key of a demo client")
	}
	if c.DatabaseURL == "" {
		reasons = append(reasons, "DATABASE_URL is not set")
	} else {
		var found []string
		found, unchecked = c.checkDatabase(ctx)
		reasons = append(reasons, found...)
	}
	if len(reasons) == 0 {
		return unchecked
	}
	return errors.Join(errors.New("profile uat refuses to start:\n  - "+strings.Join(reasons, "\n  - ")), unchecked)
}

// unsafePublicURL returns why the public URL is unsafe for a shared deployment; "" if
// it is safe. Without https, secrets could be read on the network, unless the network
// is private.
func (c *Config) unsafePublicURL() string {
	if c.PublicURL == "" {
		return "PUBLIC_URL is not set"
	}
	if err := c.checkPublicURL(); err != nil {
		return err.Error()
	}
	u, _ := url.Parse(c.PublicURL) // checkPublicURL has parsed it
	address, err := netip.ParseAddr(u.Hostname())
	private := u.Hostname() == "localhost" || err == nil && (address.IsLoopback() || address.IsPrivate())
	if u.Scheme == "http" && !private {
		return "PUBLIC_URL is http, and its host is not a loopback or private address: use https"
	}
	return ""
}

// checkDatabase returns the reasons why the database is not suitable for a shared
// deployment.
func (c *Config) checkDatabase(ctx context.Context) (reasons []string, err error) {
	db, err := storage.Open(ctx, c.DatabaseURL, c.Environment)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if err := storage.CheckReachable(ctx, db); err != nil {
		return nil, err
	}
	if err := storage.CheckSchema(ctx, db, c.Environment); err != nil {
		return nil, err
	}
	demos, err := auth.ClientsPresent(ctx, db, seed.DemoIDs())
	if err != nil {
		return nil, fmt.Errorf("the database cannot be checked: %w", err)
	}
	if demos {
		reasons = append(reasons, "the database contains the demo credentials")
	}
	var fsync string
	if err := db.QueryRow(ctx, "show fsync").Scan(&fsync); err != nil {
		return nil, fmt.Errorf("the database cannot be checked: %w", err)
	}
	if fsync != "on" {
		reasons = append(reasons, "fsync is off in the database")
	}
	return reasons, nil
}
