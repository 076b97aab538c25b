package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// startPrivate starts the server with a private PostgreSQL in the directory, and returns
// how long that took.
func (m *machine) startPrivate(ctx context.Context, dir string) (*process, time.Duration, error) {
	begun := time.Now()
	p, err := startProcess(m.dir, exec.CommandContext(ctx, m.binary, "--data-dir", dir, "--listen", "127.0.0.1:0", "--control", "127.0.0.1:0"), serverReady)
	return p, time.Since(begun), err
}

// start measures how long a server with a private PostgreSQL takes until it is ready: with
// a fresh directory, and with the same directory again.
func start(ctx context.Context, m *machine) error {
	var fresh, again []float64
	for round := range m.rounds {
		dir := filepath.Join(m.dir, "start-"+strconv.Itoa(round))
		for _, times := range []*[]float64{&fresh, &again} {
			p, took, err := m.startPrivate(ctx, dir)
			if err != nil {
				return err
			}
			p.stop()
			*times = append(*times, took.Seconds())
		}
		os.RemoveAll(dir)
	}
	m.atMost(1, "ready with a fresh directory, s", fresh, 2)
	m.atMost(0.15, "ready with an existing directory, s", again, 2)
	return nil
}

// idle measures the proportional set size of a server that has processed one submission
// and then had nothing to do for some seconds.
func idle(ctx context.Context, m *machine) error {
	p, _, err := m.startPrivate(ctx, filepath.Join(m.dir, "idle"))
	if err != nil {
		return err
	}
	defer p.stop()
	private := *m
	private.server = p
	if _, _, err := private.submitted(ctx); err != nil {
		return err
	}
	select {
	case <-time.After(30 * time.Second): // the server returns memory to the system meanwhile
	case <-ctx.Done():
		return ctx.Err()
	}
	var server, postgres float64
	var parsers []float64
	for pid, name := range descendants(p.pid()) {
		size := float64(proportional(pid)) / 1e6
		switch {
		case pid == p.pid():
			server = size
		case strings.HasPrefix(name, "postgres"):
			postgres += size
		default:
			parsers = append(parsers, size)
		}
	}
	if len(parsers) == 0 {
		return errors.New("the server has no parsers")
	}
	m.atMost(20, "idle memory of the server, MB", []float64{server}, 0)
	m.atMost(12, fmt.Sprintf("idle memory of each of %d parsers, MB", len(parsers)), []float64{quantile(parsers, 0.5)}, 0)
	m.atMost(30, "idle memory of PostgreSQL, MB", []float64{postgres}, 0)
	return nil
}
