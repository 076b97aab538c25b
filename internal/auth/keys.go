package auth

import (
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"hash"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// Keys are the keys of one environment. The keys that sign tokens and upload URLs are
// derived from a random key in the environment's row, so all servers of the
// environment share them and no other environment has them. The keys that protect
// stored secrets are in the database too, encrypted with the master key, which is not.
type Keys struct {
	Environment string
	Upload      []byte // signs upload URLs
	Sealing     *SealingKeys

	access  []byte // signs access tokens
	refresh []byte // signs refresh tokens
	pepper  []byte // hashes client secrets and API keys

	hashes sync.Pool // of hash.Hash, keyed with the pepper
}

// LoadKeys returns the environment's keys. It creates them on the first start. The
// master key has 32 bytes. The error is ErrMasterKey if it is not a valid one.
func LoadKeys(ctx context.Context, db storage.DB, environment string, master []byte, now time.Time) (*Keys, error) {
	_, err := db.Exec(ctx, `
		insert into environment (name, root_key, key_check, created_at)
		values (@name, @root_key, @key_check, @now)
		on conflict do nothing`,
		pgx.StrictNamedArgs{"name": environment, "root_key": random(keyBytes), "key_check": derive(master, environment, "check"), "now": now})
	if err != nil {
		return nil, fmt.Errorf("load keys: %w", err)
	}
	var root []byte
	var stored storedKeys
	err = storage.InTx(ctx, db, func(tx pgx.Tx) error {
		row, err := storage.One[struct{ RootKey, KeyCheck []byte }](ctx, tx, `
			select root_key, key_check
			from environment
			where name = @name
			for update`,
			pgx.StrictNamedArgs{"name": environment})
		if err != nil {
			return err
		}
		root = row.RootKey
		stored, err = loadStoredKeys(ctx, tx, environment, master, row.KeyCheck, now)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("load keys: %w", err)
	}
	return &Keys{
		Environment: environment,
		Upload:      derive(root, environment, "upload"),
		Sealing:     &SealingKeys{db: db, environment: environment, master: master, keys: stored.sealing},
		access:      derive(root, environment, "access"),
		refresh:     derive(root, environment, "refresh"),
		pepper:      stored.pepper,
	}, nil
}

// derive returns a 32-byte key for one purpose in one environment.
func derive(key []byte, environment, purpose string) []byte {
	derived, err := hkdf.Key(sha256.New, key, nil, "understudy/"+environment+"/"+purpose, keyBytes)
	if err != nil {
		panic(err) // fails only for a length that SHA-256 does not support
	}
	return derived
}

// Kinds of stored secret; a hash of one kind never matches another.
const (
	clientSecret = "client secret"
	apiKey       = "api key"
)

// hash returns the form in which a client secret or API key is stored. The secrets
// are long and random, so a fast keyed hash is enough; a slow one would let wrong
// secrets use up the CPU.
func (k *Keys) hash(kind, secret string) []byte {
	mac, known := k.hashes.Get().(hash.Hash)
	if !known {
		mac = hmac.New(sha256.New, k.pepper) // this takes longer than the hash itself
	}
	defer k.hashes.Put(mac)
	mac.Reset()
	mac.Write([]byte(kind + "\x00" + secret))
	return mac.Sum(nil)
}

// sum returns the HMAC-SHA256 of the concatenated parts.
func sum(key []byte, parts ...[]byte) []byte {
	mac := hmac.New(sha256.New, key)
	for _, part := range parts {
		mac.Write(part)
	}
	return mac.Sum(nil)
}

func random(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return b
}
