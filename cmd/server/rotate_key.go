package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"understudy.example/internal/server"
)

// rotateKeyCommand is `server rotate-key`.
type rotateKeyCommand struct {
	NewMasterKey     string `env:"NEW_MASTER_KEY" secret:"" help:"Master key to change to: 32 bytes, base64-encoded."`
	NewMasterKeyFile string `env:"NEW_MASTER_KEY_FILE" help:"File that contains the new master key, instead of --new-master-key."`
	Finish           bool   `help:"Make --master-key, the new key, the only valid master key."`
	Cancel           bool   `help:"Make --master-key, the old key, the only valid master key again."`

	server.Config `embed:""`
}

// Help describes the command.
func (rotateKeyCommand) Help() string {
	return `Changes the master key of a configured database in three steps. Servers keep running, and the command can be repeated if it is interrupted.

1. Run server rotate-key with the current key in MASTER_KEY and the new one in NEW_MASTER_KEY. From then on, both keys are valid. The command also encrypts the stored secrets again.

2. Restart each server with the new key in MASTER_KEY.

3. Run server rotate-key --finish with the new key in MASTER_KEY. The old key is no longer valid.

To give up the rotation instead, restart each server with the old key, and run server rotate-key --cancel with the old key in MASTER_KEY. The new key is no longer valid.`
}

// Run does the first or the last step of a rotation, or cancels it.
func (c *rotateKeyCommand) Run(ctx context.Context) error {
	next, err := c.newMasterKey()
	switch {
	case err != nil:
		return err
	case c.Finish && c.Cancel:
		return errors.New("--finish and --cancel are both set: set one of them")
	case (c.Finish || c.Cancel) && next != "":
		return errors.New("--finish and --cancel need no new master key: set MASTER_KEY to the key that all servers use now")
	case c.Finish:
		done, err := c.FinishRotation(ctx)
		return printEnd(done, err, "old")
	case c.Cancel:
		done, err := c.CancelRotation(ctx)
		return printEnd(done, err, "new")
	case next == "":
		return errors.New("NEW_MASTER_KEY is not set: set it to 32 bytes in base64, as `openssl rand -base64 32` prints them")
	}
	done, err := c.RotateKey(ctx, next)
	if err != nil {
		return err
	}
	fmt.Printf("%d rows were encrypted again. Both master keys are valid now.\nRestart each server with the new key, then run: server rotate-key --finish\n", done.Resealed)
	return nil
}

// printEnd prints the result of the end of a rotation that has removed the old or the new
// master key.
func printEnd(done server.Rotation, err error, removed string) error {
	if err == nil {
		fmt.Printf("%d rows were encrypted again. %d %s master keys were removed: only the current one is valid.\n", done.Resealed, done.Retired, removed)
	}
	return err
}

// newMasterKey returns the new master key, "" if there is none.
func (c *rotateKeyCommand) newMasterKey() (string, error) {
	if c.NewMasterKeyFile == "" {
		return c.NewMasterKey, nil
	}
	if c.NewMasterKey != "" {
		return "", errors.New("NEW_MASTER_KEY and NEW_MASTER_KEY_FILE are both set: set one of them")
	}
	text, err := os.ReadFile(c.NewMasterKeyFile)
	if err != nil {
		return "", fmt.Errorf("NEW_MASTER_KEY_FILE: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}
