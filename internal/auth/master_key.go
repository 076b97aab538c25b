package auth

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// ErrMasterKey is returned if the environment's stored secrets cannot be read with the
// given master key.
var ErrMasterKey = errors.New("the secrets in the database were made with another master key: set MASTER_KEY to the key that all its servers share")

// ErrOldMasterKey is returned if a rotation is to be finished with the master key that it
// replaces.
var ErrOldMasterKey = errors.New("MASTER_KEY is the old master key, and the new one would become invalid: " +
	"restart all servers with the new key, then finish the rotation with it; or give the rotation up, with --cancel")

// storedKeys are the keys that protect stored secrets. The database has them, encrypted
// with each valid master key.
type storedKeys struct {
	pepper  []byte   // hashes client secrets and API keys; never changes, because hashes cannot be converted
	sealing [][]byte // encrypt webhook secrets and headers; the newest first
}

// firstKeys returns the stored keys of an environment whose master key has never been
// changed. They are derived from it.
func firstKeys(master []byte, environment string) storedKeys {
	return storedKeys{
		pepper:  derive(master, environment, "pepper"),
		sealing: [][]byte{derive(master, environment, "sealing")},
	}
}

const keyBytes = 32

// wrap returns the keys, encrypted with the master key.
func (k storedKeys) wrap(master []byte, environment string) []byte {
	plain := slices.Concat(append([][]byte{k.pepper}, k.sealing...)...)
	return wrapping(master, environment).Seal(nil, nil, plain, []byte(environment))
}

// unwrap returns the keys that wrap encrypted.
func unwrap(wrapped, master []byte, environment string) (storedKeys, error) {
	plain, err := wrapping(master, environment).Open(nil, nil, wrapped, []byte(environment))
	if err != nil || len(plain) < 2*keyBytes || len(plain)%keyBytes != 0 {
		return storedKeys{}, errors.New("the keys in the table master_keys are damaged: restore them from a backup")
	}
	keys := slices.Collect(slices.Chunk(plain, keyBytes))
	return storedKeys{keys[0], keys[1:]}, nil
}

func wrapping(master []byte, environment string) cipher.AEAD {
	block, err := aes.NewCipher(derive(master, environment, "wrapping"))
	if err != nil {
		panic(err) // the key has 32 bytes
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // the block has 16 bytes
	}
	return aead
}

// loadStoredKeys returns the stored keys. It creates them for an environment that has
// none and whose first master key is the given one. tx holds a lock on the environment.
func loadStoredKeys(ctx context.Context, tx pgx.Tx, environment string, master, firstCheck []byte, now time.Time) (storedKeys, error) {
	check := derive(master, environment, "check")
	_, err := tx.Exec(ctx, `
		insert into master_keys (key_check, keys, created_at)
		select @check::bytea, @keys::bytea, @now::timestamptz
		where @check::bytea = @first_check::bytea
		and not exists (select from master_keys)`,
		pgx.StrictNamedArgs{"check": check, "keys": firstKeys(master, environment).wrap(master, environment), "first_check": firstCheck, "now": now})
	if err != nil {
		return storedKeys{}, fmt.Errorf("create stored keys: %w", err)
	}
	return readStoredKeys(ctx, tx, environment, master)
}

// readStoredKeys returns the stored keys. The error is ErrMasterKey if the master key is
// not valid.
func readStoredKeys(ctx context.Context, db storage.DB, environment string, master []byte) (storedKeys, error) {
	var wrapped []byte
	err := db.QueryRow(ctx, "select keys from master_keys where key_check = @check",
		pgx.StrictNamedArgs{"check": derive(master, environment, "check")}).Scan(&wrapped)
	if errors.Is(err, pgx.ErrNoRows) {
		return storedKeys{}, ErrMasterKey
	}
	if err != nil {
		return storedKeys{}, fmt.Errorf("read stored keys: %w", err)
	}
	return unwrap(wrapped, master, environment)
}

// CheckMasterKey returns ErrMasterKey if LoadKeys would. It changes nothing. The
// environment may not exist yet.
func CheckMasterKey(ctx context.Context, db storage.DB, environment string, master []byte) error {
	var stored, started bool
	err := db.QueryRow(ctx, "select to_regclass('master_keys') is not null, to_regclass('environment') is not null").Scan(&stored, &started)
	if err == nil && stored {
		err = db.QueryRow(ctx, "select exists (select from master_keys)").Scan(&stored)
	}
	switch {
	case err != nil:
		return fmt.Errorf("check the master key: %w", err)
	case stored:
		_, err := readStoredKeys(ctx, db, environment, master)
		return err
	case !started:
		return nil
	}
	var other bool
	err = db.QueryRow(ctx, "select exists (select from environment where key_check <> @check)",
		pgx.StrictNamedArgs{"check": derive(master, environment, "check")}).Scan(&other)
	if err == nil && other {
		return ErrMasterKey
	}
	return err
}

// AddMasterKey makes another master key valid besides the current one, and adds a key
// for sealing, which all servers use from then on. It does nothing if the other key is
// valid already. Keys must have 32 bytes.
func AddMasterKey(ctx context.Context, db storage.DB, environment string, current, other []byte, now time.Time) error {
	return storage.InTx(ctx, db, func(tx pgx.Tx) error {
		if err := lockEnvironment(ctx, tx, "for update"); err != nil {
			return err
		}
		keys, err := readStoredKeys(ctx, tx, environment, current)
		if err != nil {
			return err
		}
		if _, err := readStoredKeys(ctx, tx, environment, other); !errors.Is(err, ErrMasterKey) {
			return err
		}
		var count int
		if err := tx.QueryRow(ctx, "select count(*) from master_keys").Scan(&count); err != nil {
			return fmt.Errorf("count master keys: %w", err)
		}
		if count > 1 {
			return errors.New("a rotation to another master key is not finished: finish it first, with --finish")
		}
		keys.sealing = append([][]byte{random(keyBytes)}, keys.sealing...)
		return writeStoredKeys(ctx, tx, environment, keys, [][]byte{current, other}, now)
	})
}

// IsOldMasterKey reports whether the master key is replaced by a rotation that is not
// finished. The environment's row names the key until then.
func IsOldMasterKey(ctx context.Context, tx pgx.Tx, environment string, master []byte) (old bool, err error) {
	err = tx.QueryRow(ctx, "select key_check = @check and (select count(*) > 1 from master_keys) from environment",
		pgx.StrictNamedArgs{"check": derive(master, environment, "check")}).Scan(&old)
	if err != nil {
		return false, fmt.Errorf("find the old master key: %w", err)
	}
	return old, nil
}

// RetireMasterKeys makes the master key the only valid one and deletes all sealing keys
// but the newest. Call it with a transaction in which LockSealing has been called and
// all sealed values have been sealed with the newest key. It returns how many other
// master keys were valid.
func RetireMasterKeys(ctx context.Context, tx pgx.Tx, environment string, master []byte, now time.Time) (retired int, err error) {
	keys, err := readStoredKeys(ctx, tx, environment, master)
	if err != nil {
		return 0, err
	}
	check := derive(master, environment, "check")
	deleted, err := tx.Exec(ctx, "delete from master_keys where key_check <> @check", pgx.StrictNamedArgs{"check": check})
	if err != nil {
		return 0, fmt.Errorf("delete master keys: %w", err)
	}
	if _, err := tx.Exec(ctx, "update environment set key_check = @check", pgx.StrictNamedArgs{"check": check}); err != nil {
		return 0, fmt.Errorf("set the environment's master key: %w", err)
	}
	keys.sealing = keys.sealing[:1]
	return int(deleted.RowsAffected()), writeStoredKeys(ctx, tx, environment, keys, [][]byte{master}, now)
}

func writeStoredKeys(ctx context.Context, tx pgx.Tx, environment string, keys storedKeys, masters [][]byte, now time.Time) error {
	for _, master := range masters {
		_, err := tx.Exec(ctx, `
			insert into master_keys (key_check, keys, created_at)
			values (@check, @keys, @now)
			on conflict (key_check) do update
			set keys = excluded.keys`,
			pgx.StrictNamedArgs{"check": derive(master, environment, "check"), "keys": keys.wrap(master, environment), "now": now})
		if err != nil {
			return fmt.Errorf("write stored keys: %w", err)
		}
	}
	return nil
}

// lockEnvironment locks the environment's row. A transaction that seals a value locks
// it `for share`, so that no sealing key is retired before the transaction ends.
func lockEnvironment(ctx context.Context, tx pgx.Tx, strength string) error {
	if _, err := tx.Exec(ctx, "select from environment "+strength); err != nil {
		return fmt.Errorf("lock environment: %w", err)
	}
	return nil
}

// SealingKeys are the keys that encrypt webhook secrets and headers at rest. They change
// while the server runs if the master key is rotated.
type SealingKeys struct {
	db          storage.DB
	environment string
	master      []byte

	mu   sync.Mutex
	keys [][]byte // the newest first
}

// Known returns the keys, the newest first, as they were when they were last read.
func (s *SealingKeys) Known() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys
}

// Reload reads the keys again. Use it if a value cannot be opened with the known ones.
func (s *SealingKeys) Reload(ctx context.Context) error { return s.read(ctx, s.db) }

// Newest returns the key with which to seal values in the transaction. It is not retired
// before the transaction ends.
func (s *SealingKeys) Newest(ctx context.Context, tx pgx.Tx) ([]byte, error) {
	if err := lockEnvironment(ctx, tx, "for share"); err != nil {
		return nil, err
	}
	if err := s.read(ctx, tx); err != nil {
		return nil, err
	}
	return s.Known()[0], nil
}

// Lock locks the keys until the transaction ends: no other transaction can seal values.
func (s *SealingKeys) Lock(ctx context.Context, tx pgx.Tx) error {
	if err := lockEnvironment(ctx, tx, "for update"); err != nil {
		return err
	}
	return s.read(ctx, tx)
}

func (s *SealingKeys) read(ctx context.Context, db storage.DB) error {
	stored, err := readStoredKeys(ctx, db, s.environment, s.master)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = stored.sealing
	return nil
}
