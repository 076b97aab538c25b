package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"time"

	"understudy.example/internal/archive"
	"understudy.example/internal/seed"
)

// importCommand is `server import`.
type importCommand struct {
	controlFlags `embed:""`

	Data bool   `help:"Also import the submissions that server export --data has written."`
	JSON bool   `name:"json" help:"Print the result as JSON."`
	File string `arg:"" help:"An archive or a seed that server export wrote, or any other seed."`
}

// Help describes the command.
func (importCommand) Help() string {
	return `Imports the configurations of tenants into a running server, one tenant after the other. A tenant that does not exist is created, with the clients of the file. In an existing tenant, each section in the file replaces the tenant's section. API keys do not change, nor do clients that are not in the file.

The command prints the secrets of new clients and the API keys of new tenants. It also lists the secrets and headers of subscriptions that are missing because they are not exported. If it fails, run it again: tenants that were already imported do not change. With --data, it then imports the submissions, into the tenants of the same names, without events; it skips those that a tenant has, and stops at one that another tenant has. It does not submit the documents of a seed. It sets only the clocks of new tenants, and only to times that are not in the past.`
}

// importedTenant is the result for a tenant.
type importedTenant struct {
	Name    string           `json:"tenant"`
	Created bool             `json:"created"`
	Changed bool             `json:"changed"`           // also true for a new tenant
	APIKey  string           `json:"api_key,omitempty"` // of a new tenant
	Clients []importedClient `json:"created_clients"`
	Missing []string         `json:"missing"`
	Skipped []string         `json:"not_imported"` // parts of the file

	Submissions *archive.Result `json:"submissions,omitempty"` // with --data
}

type importedClient struct {
	ID     string `json:"client_id"`
	Secret string `json:"client_secret"`
}

// Run imports the file and prints the result. After an error, it prints the result for the
// tenants before it.
func (c *importCommand) Run(ctx context.Context) error {
	file, hasData, err := readExport(c.File)
	if err != nil {
		return err
	}
	if c.Data && !hasData {
		return fmt.Errorf("%s: it has no submissions: export it with --data", c.File)
	}
	if err := file.Check(time.Now()); err != nil {
		return err
	}
	control := c.control()
	names, err := control.tenants(ctx)
	if err != nil {
		return err
	}
	imported := []importedTenant{}
	for _, tenant := range file.Tenants() {
		result, failed := control.importTenant(ctx, tenant, !slices.Contains(names, tenant.Name))
		if failed != nil {
			err = fmt.Errorf("tenant %s: %w", tenant.Name, failed)
		}
		if hasData && !c.Data {
			result.Skipped = append(result.Skipped, "submissions")
		}
		if failed == nil || result.Created {
			imported = append(imported, result)
		}
		if err != nil {
			break
		}
	}
	if c.Data && err == nil {
		var results map[string]archive.Result
		results, err = control.importData(ctx, c.File, imported, newProgress(os.Stderr))
		for i, tenant := range imported {
			if result, ok := results[tenant.Name]; ok {
				imported[i].Submissions = &result
			}
		}
	}
	if c.JSON {
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetIndent("", "  ")
		return errors.Join(err, encoder.Encode(map[string]any{"tenants": imported}))
	}
	for _, tenant := range imported {
		tenant.print()
	}
	return err
}

// importTenant imports the tenant, which it creates if it is new.
// If that fails, it deletes the new tenant, so that the import can be repeated.
func (c controlAPI) importTenant(ctx context.Context, t seed.Tenant, isNew bool) (result importedTenant, err error) {
	result = importedTenant{Name: t.Name, Clients: []importedClient{}, Missing: []string{}, Skipped: []string{}}
	var created struct {
		importedClient
		APIKey string `json:"api_key"`
	}
	if isNew {
		if err := c.call(ctx, http.MethodPost, "/tenants", map[string]string{"name": t.Name}, &created); err != nil {
			return result, err
		}
		result.Created, result.APIKey, result.Clients = true, created.APIKey, append(result.Clients, created.importedClient)
		defer func() {
			if err != nil {
				result.Created = false
				err = errors.Join(err, c.call(context.WithoutCancel(ctx), http.MethodDelete, tenantPath(t.Name, ""), nil, nil))
			}
		}()
	}
	before, err := c.configuration(ctx, t.Name)
	if err != nil {
		return result, err
	}
	var changed struct {
		Clients []importedClient `json:"created_clients"`
		Missing []string         `json:"missing"`
	}
	if err := c.call(ctx, http.MethodPut, tenantPath(t.Name, "/configuration"), t.Configuration, &changed); err != nil {
		return result, err
	}
	after, err := c.configuration(ctx, t.Name)
	if err != nil {
		return result, err
	}
	result.Changed = isNew || !bytes.Equal(before, after)
	result.Missing = append(result.Missing, changed.Missing...)
	if isNew && len(changed.Clients) > 0 { // they replace the client that each new tenant gets
		if err := c.call(ctx, http.MethodDelete, tenantPath(t.Name, "/clients/"+created.ID), nil, nil); err != nil {
			return result, err
		}
		result.Clients = result.Clients[:0]
	}
	result.Clients = append(result.Clients, changed.Clients...)
	if t.Documents > 0 {
		result.Skipped = append(result.Skipped, "documents")
	}
	if t.Clock == nil {
		return result, nil
	}
	if !isNew {
		result.Skipped = append(result.Skipped, "clock")
		return result, nil
	}
	return result, c.importClock(ctx, t, &result)
}

// configuration returns the configuration of a tenant as JSON.
func (c controlAPI) configuration(ctx context.Context, name string) (text json.RawMessage, err error) {
	err = c.call(ctx, http.MethodGet, tenantPath(name, "/configuration"), nil, &text)
	return text, err
}

// importClock sets the clock of a new tenant, unless it would be moved back.
func (c controlAPI) importClock(ctx context.Context, t seed.Tenant, result *importedTenant) error {
	response, err := c.Call(ctx, http.MethodPost, tenantPath(t.Name, "/clock"), t.Clock)
	if err == nil && response.Status == http.StatusConflict {
		result.Skipped = append(result.Skipped, "clock")
		return nil
	}
	return c.decode(response, err, nil)
}

// print prints the result for people.
func (t importedTenant) print() {
	verb := "unchanged"
	switch {
	case t.Created:
		verb = "created"
	case t.Changed:
		verb = "changed"
	}
	fmt.Fprintf(stdout, "tenant %s: %s\n", t.Name, verb)
	if t.APIKey != "" {
		fmt.Fprintf(stdout, "  API key %s\n", t.APIKey)
	}
	for _, client := range t.Clients {
		fmt.Fprintf(stdout, "  client %s, secret %s\n", client.ID, client.Secret)
	}
	for _, path := range t.Missing {
		fmt.Fprintf(stdout, "  missing: %s\n", path)
	}
	if result := t.Submissions; result != nil {
		fmt.Fprintf(stdout, "  submissions: %d imported, %d skipped because the tenant has them\n", result.Imported, result.Skipped)
		fmt.Fprintf(stdout, "  company submits: %d imported, %d skipped because the tenant has them\n", result.ImportedCompanies, result.SkippedCompanies)
		for _, problem := range result.Problems {
			fmt.Fprintf(stdout, "  problem: %s\n", problem)
		}
		if more := result.MissingFiles - len(result.Problems); more > 0 {
			fmt.Fprintf(stdout, "  problem: %d more files are missing\n", more)
		}
	}
	for _, part := range t.Skipped {
		fmt.Fprintf(stdout, "  not imported: %s\n", part)
	}
}
