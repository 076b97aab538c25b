package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/auth"
	"understudy.example/internal/data"
	"understudy.example/internal/feed"
	"understudy.example/internal/hooks"
	"understudy.example/internal/storage"
	"understudy.example/internal/universal"
)

// patience is how long a stopping server waits for what is in flight.
const patience = 20 * time.Second

// run serves until ctx ends, and then until what is in flight has ended.
func (c *Config) run(ctx context.Context) error {
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if err := c.checkPublicURL(); err != nil {
		return err
	}
	if c.uat() {
		if err := c.checkShared(ctx); err != nil {
			return err
		}
	}
	url, stopDatabase, err := c.database(ctx)
	if err != nil {
		return err
	}
	defer stopDatabase()
	db, err := storage.Open(ctx, url, c.Environment)
	if err != nil {
		return err
	}
	defer db.Close()
	keys, err := c.prepare(ctx, db)
	if err != nil {
		return err
	}
	objects, err := storage.OpenObjects(c.ObjectsURL, c.DataDir)
	if err != nil {
		return err
	}
	readers, err := c.readers(readings())
	if err != nil {
		return err
	}
	defer readers.Close()
	work := &workers{}
	seal := hooks.NewSeal(keys.Sealing)
	sender := c.sender()
	dispatcher := hooks.NewDispatcher(db, c.Environment, seal, sender, time.Now)
	p := parts{
		db:        db,
		objects:   objects,
		gate:      auth.NewGate(db, keys, time.Now),
		seal:      seal,
		sender:    sender,
		uploadKey: keys.Upload,
		publicURL: c.PublicURL,
		maxUpload: c.MaxUploadBytes,
		access:    c.access(),
		readers:   readers,
		requests:  newInFlight(),
	}
	p.wake = func() {
		work.Wake()
		dispatcher.Wake()
	}
	p.observer = newObserver(db, p.gate)
	return c.serve(ctx, p, work, dispatcher)
}

// sender sends webhook deliveries: to the own machine and network in the local
// profile only.
func (c *Config) sender() *hooks.Sender {
	return hooks.NewSender(
		hooks.Network{Inside: !c.uat()},
		hooks.Signature{SHA1: c.SignatureDigest == "sha1", NoPrefix: c.SignaturePrefix == "off"})
}

// database returns the url of the database to use, starting a private one
// when none is given.
func (c *Config) database(ctx context.Context) (url string, stop func(), err error) {
	if c.DatabaseURL != "" {
		return c.DatabaseURL, func() {}, os.MkdirAll(c.DataDir, 0o755)
	}
	var settings []string
	if c.Ephemeral {
		settings = append(settings, "fsync=off") // what will be removed need not outlive a crash
	}
	postgres, err := storage.StartPostgres(ctx, c.DataDir, slog.Default(), settings...)
	if err != nil {
		return "", nil, err
	}
	return postgres.URL(), func() {
		if err := postgres.Stop(); err != nil {
			slog.Error("postgres did not stop", "err", err)
		}
	}, nil
}

// prepare brings the database up to date and returns the environment's keys.
func (c *Config) prepare(ctx context.Context, db *pgxpool.Pool) (*auth.Keys, error) {
	if err := storage.Migrate(ctx, db, c.Environment); err != nil {
		return nil, err
	}
	if c.DatabaseURL == "" { // the data directory is ours alone: whoever was on it before is dead
		if err := errors.Join(universal.Release(ctx, db), hooks.Release(ctx, db)); err != nil {
			return nil, err
		}
	}
	master, err := c.masterKey()
	if err != nil {
		return nil, err
	}
	keys, err := auth.LoadKeys(ctx, db, c.Environment, master, time.Now())
	if err != nil || c.uat() {
		return keys, err
	}
	tenants, err := auth.SeedDemos(ctx, db, keys, time.Now())
	if err != nil {
		return nil, err
	}
	for name, id := range tenants {
		if err := data.AddPackages(ctx, db, id, data.PackagesFor(name)...); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// serve listens, says so, and serves until ctx ends.
func (c *Config) serve(ctx context.Context, p parts, work *workers, dispatcher *hooks.Dispatcher) error {
	failed := make(chan error, 2)
	apiServer, apiURL, err := listen(c.Listen, routes(p), failed)
	if err != nil {
		return err
	}
	defer apiServer.Close()
	if p.apiURL, err = url.Parse(apiURL); err != nil {
		return err
	}
	controlURL := ""
	controlServer := &http.Server{}
	if c.Control != "" {
		if controlServer, controlURL, err = listen(c.Control, controlRoutes(p), failed); err != nil {
			return err
		}
	}
	defer controlServer.Close()

	working, stopWorking := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWorking()
	startWork(working, p, work, dispatcher)
	if !c.uat() {
		fmt.Print(welcome(apiURL, controlURL, c.DataDir))
	}
	slog.Info("ready", "api", apiURL, "control", controlURL)

	select {
	case err = <-failed:
	case <-ctx.Done():
		slog.Info("stopping")
	}
	patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	// What is still being read then is given back, for the next server.
	giveUp := time.AfterFunc(patience*3/4, p.readers.Close)
	defer giveUp.Stop()
	p.observer.hub.Close() // whoever waits for an event would be waited for
	defer p.observer.Stop(patient)
	// Requests first: polls and clocks may wait for the work of steps.
	idle := p.requests.Stop()
	select {
	case <-idle:
	case <-time.After(patience / 2):
	}
	stopWorking()
	select {
	case <-idle:
	case <-patient.Done():
	}
	work.Wait(patient)
	if stopped := errors.Join(apiServer.Shutdown(patient), controlServer.Shutdown(patient)); stopped != nil {
		slog.Warn("connections were cut", "err", stopped)
	}
	return err
}

// startWork starts the background steps. Documents are read side by side, a
// few of each tenant, and never in the way of a state's move.
func startWork(ctx context.Context, p parts, work *workers, dispatcher *hooks.Dispatcher) {
	work.Start(ctx, "deliver", func(ctx context.Context) (time.Duration, error) {
		return retry, dispatcher.Run(ctx) // until ctx ends
	})
	work.Start(ctx, "advance", func(ctx context.Context) (time.Duration, error) {
		return universal.Advance(ctx, p.db, p.gate.Now(), p.wake)
	})
	work.Start(ctx, "bound feed", func(ctx context.Context) (time.Duration, error) {
		return time.Minute, feed.Bound(ctx, p.db)
	})
	for range readings() {
		work.Start(ctx, "process", func(ctx context.Context) (time.Duration, error) {
			return universal.Process(ctx, p.db, p.objects, p.readers, p.gate.Now, runtime.NumCPU(), p.wake)
		})
	}
}

// readings is how many documents are read at once.
func readings() int { return 4 * runtime.NumCPU() }

// listen serves the handler on the address and returns its URL. A listener
// that breaks later is told to failed.
func listen(address string, handler http.Handler, failed chan<- error) (*http.Server, string, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, "", err
	}
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(slog.Default().Handler(), slog.LevelWarn),
	}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			failed <- err
		}
	}()
	host, port, err := net.SplitHostPort(listener.Addr().String())
	return server, "http://" + net.JoinHostPort(reachable(host), port), err
}
