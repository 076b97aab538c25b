package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"understudy.example/internal/server"
)

// doctorCommand is `server doctor`.
type doctorCommand struct {
	JSON bool `name:"json" help:"Print the checks as a JSON array."`

	server.Config `embed:""`
}

// Help describes the command.
func (doctorCommand) Help() string {
	return `Checks whether a server with the same flags and environment variables can start on this machine: the configuration, the data directory, the programs of PostgreSQL, and an object store in S3. With a configured database, it checks the schema, the master key and the marker of the object store as the server does. It also starts a worker process as the server does, and prints which layers of its sandbox are active. It needs no running server and changes nothing, except that it writes an object to an object store in S3 and deletes it again.

The exit status is 1 if a check fails, and 0 if there are only warnings. A warning means that this machine lacks a protection without which the server still works.`
}

// Run prints the findings, and returns an error if a check has failed.
func (c *doctorCommand) Run(ctx context.Context) error {
	findings := c.Examine(ctx)
	if c.JSON {
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(findings); err != nil {
			return err
		}
	}
	failed := 0
	for _, finding := range findings {
		if finding.State == server.Failed {
			failed++
		}
		if !c.JSON {
			fmt.Printf("%-8s %s: %s\n", finding.State, finding.Check, finding.Detail)
		}
	}
	if failed > 0 {
		return fmt.Errorf("doctor: %d of %d checks failed", failed, len(findings))
	}
	return nil
}
