// Package migrations contains the database schema as migrations. The first files
// create the tables, one file per family of the API; each later file is one
// change.
package migrations

import "embed"

// Files contains the migrations, which are SQL files for goose.
//
//go:embed *.sql
var Files embed.FS
