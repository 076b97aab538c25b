package seed

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/configuration"
	"understudy.example/internal/data"
	"understudy.example/internal/storage"
)

// Seeder applies seeds.
type Seeder struct {
	DB             storage.DB
	Configurations configuration.Configurations
	// Submit submits a document for the tenant. It calls record in the transaction that
	// creates the submission, and returns its error.
	Submit      func(ctx context.Context, tenant auth.Tenant, filename string, content []byte, record func(tx pgx.Tx) error) error
	MaxDocument int64 // bytes

	// OnlyNewClients leaves existing clients unchanged, including revoked clients, and adds API
	// keys only together with a new client, even if no part has been recorded as applied.
	OnlyNewClients bool
}

// sections are the keys of a tenant of a seed that are applied as a whole.
var sections = []string{"settings", "clock", "packages", "outcomes", "faults", "hooks"}

// part is a part of a tenant's seed.
type part struct {
	auth.SeedItem
	document *document // nil if the part is not a document
}

// Apply applies the parts of the seed that are new, or have changed since a seed was applied to
// the same database. Parts that are no longer in the seed are kept. If several servers do this at
// the same time, each part is applied once. If the seed is the cause of the error, it is an
// *Error.
func (s Seeder) Apply(ctx context.Context, f *File) error {
	if err := f.check(s.Configurations); err != nil { // before anything is changed
		return err
	}
	parts := map[string][]part{}
	for _, t := range f.tenants {
		var err error
		if parts[t.name], err = s.parts(t); err != nil {
			return f.locate(err)
		}
	}
	var names []string
	items := map[string][]auth.SeedItem{}
	for _, t := range f.tenants {
		names = append(names, t.name)
		for _, p := range parts[t.name] {
			items[t.name] = append(items[t.name], p.SeedItem)
		}
	}
	applied, err := auth.SeedItems(ctx, s.DB, names)
	if err != nil {
		return err
	}
	for _, t := range f.tenants {
		if len(without(parts[t.name], applied[t.name])) == 0 {
			continue
		}
		if err := s.applyTenant(ctx, t, parts[t.name]); err != nil {
			return f.locate(err)
		}
	}
	removed, err := auth.NoteRemovedSeedItems(ctx, s.DB, items)
	for _, item := range removed {
		slog.Warn("no longer in the seed, but kept", "tenant", item.Tenant, "part", item.Kind+" "+item.Name)
	}
	return err
}

// check checks the configurations of the tenants.
func (f *File) check(c configuration.Configurations) error {
	for _, t := range f.tenants {
		if _, err := c.Parse(t.body, auth.Tenant{Name: t.name}); err != nil {
			return f.locate(api.ErrorAt(t.at, err))
		}
	}
	return nil
}

// without returns the parts that have not been applied.
func without(parts []part, applied []auth.SeedItem) []part {
	return slices.DeleteFunc(slices.Clone(parts), func(p part) bool {
		return slices.ContainsFunc(applied, func(item auth.SeedItem) bool { return item.Is(p.SeedItem) && slices.Equal(item.Digest, p.Digest) })
	})
}

// parts returns the parts of the tenant's seed. Its tenant is the first one.
func (s Seeder) parts(t tenant) ([]part, error) {
	gate := s.Configurations.Gate
	var parts []part
	add := func(kind, name string, content []byte, d *document) {
		parts = append(parts, part{gate.NewSeedItem(kind, name, content), d})
	}
	add(auth.SeedSection, tenantPart, mustEncode(data.DefaultPackages(t.name)), nil)
	for _, name := range sections {
		if raw, given := t.body[name]; given {
			add(auth.SeedSection, name, raw, nil)
		}
	}
	var clients []api.Object
	var keys []string
	if err := errors.Join(decode(t.body["clients"], &clients), decode(t.body["api_keys"], &keys)); err != nil {
		return nil, err
	}
	for _, client := range clients {
		id, _ := client.Text("client_id")
		add(auth.SeedClient, id, mustEncode(client), nil)
	}
	for _, key := range keys {
		add(auth.SeedAPIKey, keyName(gate, key), nil, nil)
	}
	for i := range t.documents {
		d := &t.documents[i]
		content, err := s.read(*d)
		if err != nil {
			return nil, err
		}
		add(auth.SeedDocument, d.filename, content, d)
	}
	return parts, nil
}

// tenantPart is the name of the part that is the tenant itself, with its default packages.
const tenantPart = "tenant"

// decode decodes a value that may be missing.
func decode(text json.RawMessage, to any) error {
	if text == nil {
		return nil
	}
	return json.Unmarshal(text, to)
}

// keyName returns a name of the API key that does not reveal it.
func keyName(gate *auth.Gate, key string) string {
	return hex.EncodeToString(gate.NewSeedItem(auth.SeedAPIKey, "", []byte(key)).Digest[:8])
}

// read returns the content of the document.
func (s Seeder) read(d document) ([]byte, error) {
	if d.path == "" {
		return []byte(d.text), nil
	}
	info, err := os.Stat(d.path) // first, because opening a named pipe would block until it has a writer
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", d.path)
	}
	var content []byte
	if err == nil {
		content, err = readFile(d.path, s.MaxDocument)
	}
	if err != nil {
		return nil, api.BadRequest("%s.file: %s", d.at, err)
	}
	return content, nil
}

// readFile reads a file of at most limit bytes.
func readFile(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = fmt.Errorf("%s is larger than %d bytes", path, limit)
	}
	return content, err
}

// applyTenant applies the tenant's parts in a transaction, except its documents, and then
// submits these. Errors that the seed causes are *api.Error and contain paths.
func (s Seeder) applyTenant(ctx context.Context, t tenant, parts []part) error {
	var seeded auth.Tenant
	var done []string
	err := storage.InTx(ctx, s.DB, func(tx pgx.Tx) (err error) {
		done = nil
		var isNew bool
		if seeded, isNew, err = s.Configurations.Gate.SeedTenant(ctx, tx, t.name); err != nil {
			return err
		}
		applied, err := auth.SeedItems(ctx, tx, []string{t.name}) // again, under the lock
		if err != nil {
			return err
		}
		todo := without(parts, applied[t.name])
		todo = slices.DeleteFunc(todo, func(p part) bool { return p.document != nil })
		// A reset forgets the sections, and keeps the clients.
		wasReset := len(applied[t.name]) > 0 && slices.ContainsFunc(todo, func(p part) bool { return p.Kind == auth.SeedSection && p.Name == tenantPart })
		if err := s.applyParts(ctx, tx, t, seeded, isNew || wasReset, todo); err != nil {
			return err
		}
		for _, p := range todo {
			if _, err := s.Configurations.Gate.RecordSeedItem(ctx, tx, seeded.ID, p.SeedItem); err != nil {
				return err
			}
			done = append(done, p.Kind+" "+p.Name)
		}
		seeded, err = auth.LockTenant(ctx, tx, seeded.ID) // with its new settings and clock
		return err
	})
	s.Configurations.Refresh(seeded)
	if err != nil {
		return err
	}
	if len(done) > 0 {
		slog.Info("seed applied", "tenant", t.name, "parts", done)
	}
	return s.submit(ctx, t, seeded, parts)
}

// applyParts applies the parts, none of which is a document.
func (s Seeder) applyParts(ctx context.Context, tx pgx.Tx, t tenant, seeded auth.Tenant, isNew bool, todo []part) error {
	c := s.Configurations
	has := func(kind, name string) bool {
		return slices.ContainsFunc(todo, func(p part) bool { return p.Kind == kind && p.Name == name })
	}
	if has(auth.SeedSection, tenantPart) {
		if err := data.AddPackages(ctx, tx, seeded.ID, data.DefaultPackages(t.name)...); err != nil {
			return err
		}
	}
	wanted, err := c.Parse(t.body, seeded)
	if err != nil {
		return api.ErrorAt(t.at, err)
	}
	// The settings and the clock first, because ids and times depend on them.
	if has(auth.SeedSection, "settings") {
		if _, err := c.Apply(ctx, tx, seeded, configuration.Sections{Settings: wanted.Settings}); err != nil {
			return api.ErrorAt(t.at, err)
		}
	}
	if has(auth.SeedSection, "clock") {
		if err := t.clock.Apply(ctx, tx, c.Gate, seeded, isNew); err != nil {
			return err
		}
	}
	if seeded, err = auth.LockTenant(ctx, tx, seeded.ID); err != nil {
		return err
	}
	if wanted, err = c.Parse(t.body, seeded); err != nil {
		return api.ErrorAt(t.at, err)
	}
	wanted.Settings = nil
	wanted.Packages = only(has(auth.SeedSection, "packages"), wanted.Packages)
	wanted.Outcomes = only(has(auth.SeedSection, "outcomes"), wanted.Outcomes)
	wanted.Faults = only(has(auth.SeedSection, "faults"), wanted.Faults)
	wanted.Hooks = only(has(auth.SeedSection, "hooks"), wanted.Hooks)
	if wanted.Hooks != nil {
		wanted.Hooks.KeepOthers = true // deleting them would delete their deliveries
	}
	if wanted.Clients != nil {
		wanted.Clients.Seeded = true
		wanted.Clients.Keep(func(id string) bool { return has(auth.SeedClient, id) })
	}
	if wanted.APIKeys != nil {
		wanted.APIKeys.Keep(func(key string) bool { return has(auth.SeedAPIKey, keyName(c.Gate, key)) })
	}
	if s.OnlyNewClients && wanted.Clients != nil {
		known, err := auth.KnownClientIDs(ctx, tx, wanted.Clients.IDs())
		if err != nil {
			return err
		}
		wanted.Clients.Keep(func(id string) bool { return !slices.Contains(known, id) })
		if len(wanted.Clients.IDs()) == 0 {
			wanted.APIKeys = nil
		}
	}
	imported, err := c.Apply(ctx, tx, seeded, wanted)
	for _, path := range imported.Missing {
		slog.Warn("the seed lacks a secret or a header", "tenant", t.name, "part", path)
	}
	return api.ErrorAt(t.at, err)
}

// only returns the section if it has to be applied, and nil otherwise.
func only[T any](apply bool, section *T) *T {
	if !apply {
		return nil
	}
	return section
}

// errSubmitted means that another server has submitted the document.
var errSubmitted = errors.New("the document is already submitted")

// submit submits those documents that have not been submitted yet.
func (s Seeder) submit(ctx context.Context, t tenant, seeded auth.Tenant, parts []part) error {
	applied, err := auth.SeedItems(ctx, s.DB, []string{t.name})
	if err != nil {
		return err
	}
	for _, p := range without(parts, applied[t.name]) {
		if p.document == nil {
			continue
		}
		content, err := s.read(*p.document)
		if err != nil {
			return err
		}
		err = s.Submit(ctx, seeded, p.document.filename, content, func(tx pgx.Tx) error {
			isNew, err := s.Configurations.Gate.RecordSeedItem(ctx, tx, seeded.ID, p.SeedItem)
			if err == nil && !isNew {
				err = errSubmitted
			}
			return err
		})
		switch {
		case errors.Is(err, errSubmitted):
		case err != nil:
			return api.ErrorAt(p.document.at, err)
		default:
			slog.Info("document of the seed submitted", "tenant", t.name, "filename", p.document.filename)
		}
	}
	return nil
}
