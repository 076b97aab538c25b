package server

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/auth"
	"understudy.example/internal/hooks"
	"understudy.example/internal/storage"
	"understudy.example/internal/transfer"
)

// Sender returns the sender of webhook deliveries.
func (c *Config) Sender() (*hooks.Sender, error) { return c.sender() }

// PrepareDatabase prepares the database as a starting server does.
func (c *Config) PrepareDatabase(ctx context.Context, db *pgxpool.Pool) (*auth.Keys, error) {
	master, err := c.masterKey()
	if err != nil {
		return nil, err
	}
	return c.prepareDatabase(ctx, &storage.Pools{Long: db, Auth: db}, master)
}

// Transfers returns the limits of the connections of both listeners.
func (c *Config) Transfers() transfer.Limits { return c.transfers() }

// WaitsBeforeStop returns how long the server accepts calls after /readyz has turned 503.
func (c *Config) WaitsBeforeStop() time.Duration { return c.stopDelay() }

// WaitsForWork returns how long a stopping server waits for work in flight.
func (c *Config) WaitsForWork() time.Duration { return c.drainTimeout() }

// NewLogger returns a logger in the configured format.
func (c *Config) NewLogger(w io.Writer) *slog.Logger { return c.newLogger(w) }

// RemoteAddress returns the address of the client of the request.
func (o *Options) RemoteAddress(r *http.Request) string { return o.remoteAddress(r) }

// CanReplaceObjects reports whether the database can use a store without a marker.
func (c *Config) CanReplaceObjects(ctx context.Context, db storage.DB) (bool, error) {
	return c.canReplaceObjects(ctx, db)
}
