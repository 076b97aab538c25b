package main

import (
	"archive/tar"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"understudy.example/internal/seed"
	"understudy.example/internal/version"
)

// exportCommand is `server export`.
type exportCommand struct {
	controlFlags `embed:""`

	Data   bool     `help:"Also export the submissions with their results and files."`
	Tenant []string `placeholder:"NAME" help:"Only this tenant. Can be repeated."`
	File   string   `arg:"" help:"The file to write: an archive or, if its name ends in .yaml, a seed."`
}

// Help describes the command.
func (exportCommand) Help() string {
	return `Writes the configurations of the tenants of a running server: settings, clocks that do not show real time, data packages, outcomes, faults, subscriptions and clients. server import imports them into a server, which can be of another release. A server can start with a seed (--seed).

With --data, the archive also has the submissions that have ended or wait for their trigger: states, times, extracted values, reports and files. Those in progress are left out, and so are company submits, calls, events and deliveries. To keep a whole deployment, back up its database and its object store.

The file has no secrets and no API keys, and the values of the subscriptions' headers are masked. It gets its name when it is complete.`
}

// Run writes the file.
func (c *exportCommand) Run(ctx context.Context) error {
	if c.Data && isSeed(c.File) {
		return fmt.Errorf("%s: a seed has no submissions: with --data, choose a name such as all.tar.gz", c.File)
	}
	if strings.HasSuffix(c.File, ".json") {
		return fmt.Errorf("%s: a seed is YAML: choose a name that ends in .yaml, or in .tar.gz for an archive", c.File)
	}
	control := c.control()
	names, err := control.tenants(ctx)
	if err != nil {
		return err
	}
	for _, name := range c.Tenant {
		if _, err := choose(name, names); err != nil {
			return err
		}
	}
	if len(c.Tenant) > 0 {
		names = slices.Compact(slices.Sorted(slices.Values(c.Tenant)))
	}
	tenants := make([]seed.Tenant, len(names))
	for i, name := range names {
		if tenants[i], err = control.export(ctx, name); err != nil {
			return fmt.Errorf("tenant %s: %w", name, err)
		}
	}
	content, err := seed.Format(tenants)
	if err != nil {
		return err
	}
	if isSeed(c.File) {
		err = os.WriteFile(c.File, content, 0o600)
	} else {
		described := manifest{archiveFormat, archiveVersion, time.Now().UTC().Truncate(time.Second), version.String(), names, c.Data}
		err = writeArchive(c.File, described, content, func(to *tar.Writer) error { return c.addData(ctx, names, to) })
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "exported %s to %s\n", quantity(len(tenants), "tenant"), c.File)
	return nil
}

// addData adds the submissions of the tenants to the archive, with --data.
func (c *exportCommand) addData(ctx context.Context, names []string, to *tar.Writer) error {
	if !c.Data {
		return nil
	}
	shown := newProgress(os.Stderr)
	for _, name := range names {
		exported, err := c.control().exportData(ctx, name, to, shown)
		if err != nil {
			return fmt.Errorf("tenant %s: %w", name, err)
		}
		fmt.Fprintf(stdout, "tenant %s: %s and %s, %d in progress left out\n", name, quantity(exported.done, "submission"), quantity(exported.companies, "company submit"), exported.head.LeftOut)
	}
	return nil
}

// export returns the configuration and the clock of a tenant.
func (c controlAPI) export(ctx context.Context, name string) (seed.Tenant, error) {
	t := seed.Tenant{Name: name}
	if err := c.call(ctx, http.MethodGet, tenantPath(name, "/configuration"), nil, &t.Configuration); err != nil {
		return t, err
	}
	var clock struct {
		Now    string `json:"now"`
		Offset string `json:"offset"`
		Frozen bool   `json:"frozen"`
	}
	if err := c.call(ctx, http.MethodGet, tenantPath(name, "/clock"), nil, &clock); err != nil {
		return t, err
	}
	if clock.Offset == "0s" && !clock.Frozen {
		return t, nil
	}
	var err error
	t.Clock, err = json.Marshal(map[string]any{"set": clock.Now, "frozen": clock.Frozen})
	return t, err
}
