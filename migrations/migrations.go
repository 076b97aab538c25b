// Package migrations contains the database schema as migrations. The files from 0101 to
// 0110 create the tables of the first release, one file per owner; each later file, from
// 0121 on, is one change. Lower numbers belong to servers from before the first release,
// whose databases are refused.
package migrations

import "embed"

// Files contains the migrations, which are SQL files for goose.
//
//go:embed *.sql
var Files embed.FS
