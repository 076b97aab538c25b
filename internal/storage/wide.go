package storage

import (
	"context"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// parameters are buffers of ExecWide. None is nil: what encodes to nothing
// would be taken for null.
var parameters = sync.Pool{New: func() any { return &[]byte{} }}

// ExecWide runs a statement that takes columns of many rows. pgx begins each
// statement's parameters in a small buffer and grows it; these go into one that
// is kept.
func ExecWide(ctx context.Context, conn *pgx.Conn, sql string, args pgx.StrictNamedArgs) error {
	sql, values, err := args.RewriteQuery(ctx, conn, sql, nil)
	if err != nil {
		return err
	}
	statement, err := conn.Prepare(ctx, sql, sql) // once for each connection
	if err != nil {
		return err
	}
	kept := parameters.Get().(*[]byte)
	defer parameters.Put(kept)
	*kept = (*kept)[:0]
	encoded, formats := make([][]byte, len(values)), make([]int16, len(values))
	for i, value := range values {
		formats[i] = pgtype.BinaryFormatCode
		buffer, err := conn.TypeMap().Encode(statement.ParamOIDs[i], formats[i], value, *kept)
		if err != nil {
			return fmt.Errorf("parameter %d: %w", i+1, err)
		}
		if buffer != nil { // else null
			encoded[i] = buffer[len(*kept):]
			*kept = buffer
		}
	}
	_, err = conn.PgConn().ExecPrepared(ctx, statement.Name, encoded, formats, nil).Close()
	return err
}
