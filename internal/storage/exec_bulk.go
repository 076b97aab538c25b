package storage

import (
	"context"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// parameterBuffers holds the buffers of ExecBulk. No buffer is nil, because an
// empty value encoded into a nil buffer would be taken for null.
var parameterBuffers = sync.Pool{New: func() any { return &[]byte{} }}

// ExecBulk executes a statement whose parameters are arrays, each holding one
// column of many rows. Unlike pgx, which grows a new small buffer for the
// parameters of each statement, it reuses large buffers.
func ExecBulk(ctx context.Context, conn *pgx.Conn, sql string, args pgx.StrictNamedArgs) error {
	sql, values, err := args.RewriteQuery(ctx, conn, sql, nil)
	if err != nil {
		return err
	}
	statement, err := conn.Prepare(ctx, sql, sql) // a no-op if already prepared on this connection
	if err != nil {
		return err
	}
	buffer := parameterBuffers.Get().(*[]byte)
	defer parameterBuffers.Put(buffer)
	*buffer = (*buffer)[:0]
	encoded, formats := make([][]byte, len(values)), make([]int16, len(values))
	for i, value := range values {
		formats[i] = pgtype.BinaryFormatCode
		extended, err := conn.TypeMap().Encode(statement.ParamOIDs[i], formats[i], value, *buffer)
		if err != nil {
			return fmt.Errorf("parameter %d: %w", i+1, err)
		}
		if extended != nil { // nil means null
			encoded[i] = extended[len(*buffer):]
			*buffer = extended
		}
	}
	_, err = conn.PgConn().ExecPrepared(ctx, statement.Name, encoded, formats, nil).Close()
	return err
}
