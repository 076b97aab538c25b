package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"understudy.example/internal/server"
)

// gcCommand is `server gc`.
type gcCommand struct {
	DryRun bool `name:"dry-run" help:"Count the orphans without deleting anything."`
	JSON   bool `name:"json" help:"Print the result as JSON."`

	server.Config `embed:""`
}

// Help describes the command.
func (gcCommand) Help() string {
	return `Deletes orphans from the object store: files that are older than 24 hours and that no submission refers to, because the object store was away when the submission was deleted, or because a server died during an upload. It also removes the remains of interrupted uploads that are older than 24 hours. Objects that the server did not name are never deleted.

Run it with the same flags and environment variables as the server, which may be running. The object store must have the marker of the database. In the profile uat, the servers do the same once a day.`
}

// Run prints the result.
func (c *gcCommand) Run(ctx context.Context) error {
	found, err := c.CollectGarbage(ctx, c.DryRun)
	if err != nil {
		return err
	}
	if c.JSON {
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(found); err != nil {
			return err
		}
	} else {
		fmt.Printf("%d files, %d of them orphans (%d bytes); deleted %d orphans and the remains of %d interrupted uploads\n",
			found.Objects, found.Orphans, found.OrphanBytes, found.Deleted, found.Incomplete)
	}
	if failed := found.Orphans - found.Deleted; failed > 0 && !c.DryRun {
		return fmt.Errorf("gc: %d orphans could not be deleted", failed)
	}
	return nil
}
