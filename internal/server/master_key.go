package server

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
)

// publicKey is the master key of a local server with a configured database and no
// configured key.
var publicKey = sha256.Sum256([]byte("understudy, public key of local sandboxes on a shared database"))

// masterKey returns the 32 bytes that protect stored secrets. If no key is configured,
// the server creates one for its private database. With a configured database it uses
// publicKey, which is no more secret than the demo credentials, so that all servers of
// the database use the same key.
func (c *Config) masterKey() ([]byte, error) {
	switch {
	case c.MasterKey != "":
		return decodeKey(c.MasterKey)
	case c.DatabaseURL != "":
		slog.Warn("MASTER_KEY is not set: stored secrets are protected by a public key, which is not safe outside a sandbox")
		return publicKey[:], nil
	}
	path := filepath.Join(c.DataDir, "master.key")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = createKey(path)
	}
	if err != nil {
		return nil, fmt.Errorf("master key: %w", err)
	}
	return decodeKey(strings.TrimSpace(string(text)))
}

func decodeKey(text string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(key) != 32 {
		return nil, errors.New("MASTER_KEY: want 32 bytes in base64, as `openssl rand -base64 32` prints them")
	}
	return key, nil
}

// createKey writes a new key file atomically.
func createKey(path string) ([]byte, error) {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	text := []byte(base64.StdEncoding.EncodeToString(key) + "\n")
	file, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = file.Write(text)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return nil, err
	}
	return text, os.Rename(path+".new", path)
}
