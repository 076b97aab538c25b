// Package migrations holds the schema: one file per family of the API, then
// one per change.
package migrations

import "embed"

// Files are the migrations in goose's form.
//
//go:embed *.sql
var Files embed.FS
