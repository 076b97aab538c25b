package server

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"slices"
	"time"

	"understudy.example/internal/storage"
	"understudy.example/internal/tracing"
	"understudy.example/internal/transfer"
	"understudy.example/internal/worker"
)

// Run serves until ctx ends, and then until requests and processing in flight have
// ended.
func Run(ctx context.Context, c *Config) error {
	slog.SetDefault(c.newLogger(os.Stderr))
	log.SetFlags(0)
	log.SetOutput(transfer.ConnectionLog) // clients of net/http log through package log, and quote bytes that they have received
	ctx, stop := c.untilParentEnds(ctx)
	defer stop()
	if c.Ephemeral {
		slog.Info("temporary data directory", "directory", c.DataDir)
	}
	app, closeApp, err := c.open(ctx)
	defer closeApp()
	if ctx.Err() != nil { // err is only a consequence of the cancellation
		return fmt.Errorf("the start was cancelled: %w", context.Cause(ctx))
	}
	if err != nil {
		return err
	}
	return c.serve(ctx, app)
}

// open checks the configuration and returns the app that it describes. The function
// that it returns closes what the app uses, even after an error.
func (c *Config) open(ctx context.Context) (app *App, closeApp func(), err error) {
	var opened []func()
	closeApp = func() {
		for _, closeOne := range slices.Backward(opened) {
			closeOne()
		}
	}
	options, err := c.options(ctx)
	if err != nil {
		return nil, closeApp, err
	}
	if err := c.checkAddresses(); err != nil {
		return nil, closeApp, err
	}
	if options.Tracer, err = tracing.FromEnvironment(ctx); err != nil {
		return nil, closeApp, err
	}
	opened = append(opened, options.Tracer.Close)
	databaseURL, stopDatabase, err := c.startDatabase(ctx)
	if err != nil {
		return nil, closeApp, err
	}
	opened = append(opened, stopDatabase)
	if options.DB, err = storage.OpenPools(ctx, databaseURL, c.Environment, c.DatabaseLimits.limits()); err != nil {
		return nil, closeApp, err
	}
	opened = append(opened, options.DB.Close)
	master, err := c.masterKey()
	if err != nil {
		return nil, closeApp, err
	}
	if err := c.checkStart(ctx, options.DB.Long, master); err != nil {
		return nil, closeApp, err
	}
	if options.Keys, err = c.prepareDatabase(ctx, options.DB, master); err != nil {
		return nil, closeApp, err
	}
	if options.Objects, err = c.openObjects(ctx, options.DB.Long); err != nil {
		return nil, closeApp, err
	}
	limitServerMemory()
	newPool := worker.NewPool
	if c.Ephemeral { // the tenants are those of one test suite
		newPool = worker.NewSharedPool
	}
	if options.Workers, err = c.Pool(maxProcessing(), newPool); err != nil {
		return nil, closeApp, err
	}
	opened = append(opened, options.Workers.Close)
	app = New(options)
	if options.Seed != nil {
		err = app.ApplySeed(ctx, options.Seed)
	}
	return app, closeApp, err
}

// options checks the configuration and returns the options that need no database.
func (c *Config) options(ctx context.Context) (Options, error) {
	if err := c.readSecretFiles(); err != nil {
		return Options{}, err
	}
	seeded, err := c.readSeed()
	if err != nil {
		return Options{}, err
	}
	if c.uat() {
		if err := c.checkShared(ctx, seeded); err != nil {
			return Options{}, err
		}
	}
	access, accessErr := c.controlAccess()
	origins, corsErr := c.corsOrigins()
	listenerTLS, tlsErr := c.listenerTLS()
	sender, senderErr := c.sender()
	if err := errors.Join(accessErr, c.checkPublicURL(), c.checkMaxUpload(), c.checkTransfers(), c.DatabaseLimits.check(), c.StopFlags.check(), c.FreeSpace.check(), corsErr, tlsErr, senderErr); err != nil {
		return Options{}, err
	}
	return Options{
		Sender: sender, TLS: listenerTLS, Now: time.Now, PublicURL: c.PublicURL, TrustedProxies: c.TrustedProxies, CORSOrigins: origins,
		MaxUpload: c.MaxUploadBytes, Transfers: c.transfers(), Access: access, Hints: c.Hints != "off", Shared: c.uat(), Keep: c.RetentionAges.ages(c.uat()), Seed: seeded,
	}, nil
}

// serve opens the listeners, logs that it is ready, and serves until ctx ends or
// a listener fails.
func (c *Config) serve(ctx context.Context, app *App) error {
	failed := make(chan error, 2)
	apiSocket, apiURL, err := app.listen(c.Listen)
	if err != nil {
		return err
	}
	defer apiSocket.Close()
	controlServer, controlURL, err := c.serveControl(app, apiURL, failed)
	if err != nil {
		return err
	}
	defer controlServer.Close()
	// Last, so that a client which sees the API ready can call the control API.
	apiServer := app.serve(apiSocket, app.API(), apiConnections(transfer.MaxOpenFiles()), failed)
	defer apiServer.Close()

	working, stopWorking := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWorking()
	app.StartBackground(working)
	if !c.uat() {
		fmt.Print(app.welcome(apiURL.String(), controlURL, c.DataDir))
	}
	slog.Info("ready", "api", apiURL.String(), "control", controlURL)

	err = app.awaitStop(ctx, failed, c.stopDelay())
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.drainTimeout())
	defer cancel()
	app.drain(stopping, stopWorking)
	if stopped := errors.Join(apiServer.Shutdown(stopping), controlServer.Shutdown(stopping)); stopped != nil {
		slog.Warn("connections closed before their requests ended", "err", stopped)
	}
	return err
}

// serveControl serves the control API, unless it is off.
func (c *Config) serveControl(app *App, apiURL *url.URL, failed chan<- error) (*http.Server, string, error) {
	if c.Control == "" {
		return &http.Server{}, "", nil
	}
	socket, at, err := app.listen(c.Control)
	if err != nil {
		return nil, "", err
	}
	return app.serve(socket, app.Control(apiURL), controlConnections(transfer.MaxOpenFiles()), failed), at.String(), nil
}
