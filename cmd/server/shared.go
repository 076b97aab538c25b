package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// checkShared refuses to start a shared deployment that would be unsafe, with
// every reason named. It changes nothing.
func (c *Config) checkShared(ctx context.Context) error {
	var reasons []string
	if c.MasterKey == "" {
		reasons = append(reasons, "no MASTER_KEY is set")
	} else if key, err := decodeKey(c.MasterKey); err != nil {
		reasons = append(reasons, err.Error())
	} else if bytes.Equal(key, publicKey[:]) {
		reasons = append(reasons, "MASTER_KEY is the public key of local sandboxes")
	}
	if c.Control != "" && c.ControlToken == "" {
		reasons = append(reasons, "the control listener is on and no CONTROL_TOKEN is set")
	}
	if c.DatabaseURL == "" {
		reasons = append(reasons, "no DATABASE_URL is set")
	} else {
		found, err := c.checkDatabase(ctx)
		if err != nil {
			found = []string{fmt.Sprintf("the database can't be checked: %v", err)}
		}
		reasons = append(reasons, found...)
	}
	if len(reasons) == 0 {
		return nil
	}
	return errors.New("profile uat refuses to start:\n  - " + strings.Join(reasons, "\n  - "))
}

// checkDatabase names what makes the database unfit for a shared deployment.
func (c *Config) checkDatabase(ctx context.Context) (reasons []string, err error) {
	db, err := storage.Open(ctx, c.DatabaseURL, c.Environment)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	demos, err := auth.DemosPresent(ctx, db)
	if err != nil {
		return nil, err
	}
	if demos {
		reasons = append(reasons, "the seeded demo credentials are in the database")
	}
	var fsync string
	if err := db.QueryRow(ctx, "show fsync").Scan(&fsync); err != nil {
		return nil, err
	}
	if fsync != "on" {
		reasons = append(reasons, "fsync is off in the database")
	}
	return reasons, nil
}
