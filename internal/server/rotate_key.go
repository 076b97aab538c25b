package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/auth"
	"understudy.example/internal/hooks"
	"understudy.example/internal/storage"
)

// Rotation is the result of RotateKey, FinishRotation or CancelRotation.
type Rotation struct {
	Resealed int // subscriptions and deliveries whose secrets were encrypted again
	Retired  int // master keys that are no longer valid
}

// RotateKey makes next, 32 bytes in base64, a valid master key besides the configured
// one, and encrypts the stored secrets again with a new key. It can run while servers
// are running, and can be repeated if it was interrupted.
func (c *Config) RotateKey(ctx context.Context, next string) (done Rotation, err error) {
	other, err := decodeKey(next)
	if err != nil {
		return Rotation{}, fmt.Errorf("new master key: %w", err)
	}
	err = c.withMasterKey(ctx, func(db *pgxpool.Pool, master []byte) error {
		switch {
		case bytes.Equal(master, other):
			return errors.New("the new master key is the same as the current one")
		case bytes.Equal(other, publicKey[:]):
			return errors.New("the new master key is the public key of local sandboxes")
		}
		keys, err := auth.LoadKeys(ctx, db, c.Environment, master, time.Now())
		if err != nil {
			return err
		}
		if err := auth.AddMasterKey(ctx, db, c.Environment, master, other, time.Now()); err != nil {
			return err
		}
		done.Resealed, err = hooks.NewSeal(keys.Sealing).Reseal(ctx, db)
		return err
	})
	return done, err
}

// FinishRotation makes the configured master key the only valid one. Servers that still
// use another one must have been stopped. The error is auth.ErrOldMasterKey if the
// configured key is the one that the rotation replaces.
func (c *Config) FinishRotation(ctx context.Context) (Rotation, error) {
	return c.endRotation(ctx, func(old bool) error {
		if old {
			return auth.ErrOldMasterKey
		}
		return nil
	})
}

// CancelRotation makes the configured master key, which a rotation replaces, the only
// valid one again. No server may use the new one.
func (c *Config) CancelRotation(ctx context.Context) (Rotation, error) {
	return c.endRotation(ctx, func(old bool) error {
		if !old {
			return errors.New("no rotation from this master key is in progress: to cancel one, set MASTER_KEY to the old key")
		}
		return nil
	})
}

// endRotation makes the configured master key the only valid one, unless check returns an
// error. old reports whether a rotation replaces the key.
func (c *Config) endRotation(ctx context.Context, check func(old bool) error) (done Rotation, err error) {
	err = c.withMasterKey(ctx, func(db *pgxpool.Pool, master []byte) error {
		keys, err := auth.LoadKeys(ctx, db, c.Environment, master, time.Now())
		if err != nil {
			return err
		}
		seal := hooks.NewSeal(keys.Sealing)
		// In batches first, so that the last transaction, which prevents servers from
		// sealing, is short.
		batches, err := seal.Reseal(ctx, db)
		if err != nil {
			return err
		}
		return storage.InTx(ctx, db, func(tx pgx.Tx) error {
			if err := keys.Sealing.Lock(ctx, tx); err != nil {
				return err
			}
			old, err := auth.IsOldMasterKey(ctx, tx, c.Environment, master)
			if err != nil {
				return err
			}
			if err := check(old); err != nil {
				return err
			}
			rest, err := seal.Reseal(ctx, tx)
			if err != nil {
				return err
			}
			done.Resealed = batches + rest
			done.Retired, err = auth.RetireMasterKeys(ctx, tx, c.Environment, master, time.Now())
			return err
		})
	})
	return done, err
}

// withMasterKey calls do with the configured database and master key.
func (c *Config) withMasterKey(ctx context.Context, do func(db *pgxpool.Pool, master []byte) error) error {
	if err := c.readSecretFiles(); err != nil {
		return err
	}
	if c.DatabaseURL == "" {
		return errors.New("DATABASE_URL is not set: only the master key of a configured database can be rotated")
	}
	master, err := c.masterKey()
	if err != nil {
		return err
	}
	db, err := storage.Open(ctx, c.DatabaseURL, c.Environment)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := storage.CheckSchema(ctx, db, c.Environment); err != nil {
		return err
	}
	var prepared bool
	if err := db.QueryRow(ctx, "select to_regclass('master_keys') is not null").Scan(&prepared); err != nil {
		return err
	}
	if !prepared {
		return fmt.Errorf("the database has no environment %q, or no server has used it yet", c.Environment)
	}
	return do(db, master)
}
