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
	Finish           bool   `help:"Make --master-key the only valid master key."`

	server.Config `embed:""`
}

// Help describes the command.
func (rotateKeyCommand) Help() string {
	return `Changes the master key of a configured database in three steps. Servers keep running, and the command can be repeated if it is interrupted.

1. Run server rotate-key with the current key in MASTER_KEY and the new one in NEW_MASTER_KEY. From then on, both keys are valid. The command also encrypts the stored secrets again.

2. Restart each server with the new key in MASTER_KEY.

3. Run server rotate-key --finish with the new key in MASTER_KEY. The old key is no longer valid.`
}

// Run does the first or the last step of a rotation.
func (c *rotateKeyCommand) Run(ctx context.Context) error {
	next, err := c.newMasterKey()
	switch {
	case err != nil:
		return err
	case c.Finish && next != "":
		return errors.New("--finish needs no new master key: set MASTER_KEY to the key that all servers use now")
	case c.Finish:
		done, err := c.FinishRotation(ctx)
		if err != nil {
			return err
		}
		fmt.Printf("%d rows were encrypted again. %d old master keys were removed: only the current one is valid.\n", done.Resealed, done.Retired)
		return nil
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
