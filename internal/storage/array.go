package storage

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"math"

	"github.com/jackc/pgx/v5"
)

// ArrayBatch is how many elements of a stored JSON array are read at once: a few
// megabytes. PostgreSQL decompresses the whole array for each batch, which takes much
// less time than converting a batch to text.
const ArrayBatch = 2048

const (
	// expansion is how many times larger the text of a large JSON value is than its
	// compressed form.
	expansion = 16
	// maxBatchBytes is the estimated size of a whole batch.
	maxBatchBytes = 4 << 20
)

// BatchMemory estimates the memory in bytes for a batch of an array whose stored size
// is the given number of bytes (pg_column_size).
func BatchMemory(stored int64) int64 { return min(expansion*stored, maxBatchBytes) }

// ErrRowGone means that a row was deleted while its array was read.
var ErrRowGone = errors.New("the row was deleted while it was read")

// Array reads at most the given number of elements of a JSON array, from the first index,
// in batches, so that the whole array is never in memory and no connection is held while
// the elements are used. The query has one column and returns the elements from index @from to index @until in their order. It returns a
// single null if there are none, and no rows if the row does not exist. read is called
// with the size of each batch in bytes.
func Array(ctx context.Context, db DB, sql string, args pgx.StrictNamedArgs, first, most int, read func(bytes int64)) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		for from := min(first, math.MaxInt32/2); most > 0; from, most = from+ArrayBatch, most-ArrayBatch {
			wanted := min(most, ArrayBatch)
			batch, err := arrayBatch(ctx, db, sql, args, from, wanted)
			if err != nil {
				yield(nil, err)
				return
			}
			size := 0
			for _, element := range batch {
				size += len(element)
			}
			read(int64(size))
			for _, element := range batch {
				if !yield(element, nil) {
					return
				}
			}
			if len(batch) < wanted {
				return
			}
		}
	}
}

// arrayBatch returns that many elements, from the index.
func arrayBatch(ctx context.Context, db DB, sql string, args pgx.StrictNamedArgs, from, wanted int) ([]json.RawMessage, error) {
	args = maps.Clone(args)
	args["from"], args["until"] = from, from+wanted-1
	rows, err := db.Query(ctx, sql, args)
	if err != nil {
		return nil, err
	}
	batch, err := pgx.CollectRows(rows, pgx.RowTo[json.RawMessage])
	switch {
	case err != nil:
		return nil, err
	case len(batch) == 0:
		return nil, ErrRowGone
	case batch[0] == nil:
		return nil, nil
	}
	return batch, nil
}
