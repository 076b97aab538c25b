package data

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/enrich"
	"understudy.example/internal/storage"
)

// locationBatch is how many locations are read at once: a few megabytes. PostgreSQL
// unpacks all locations of a report for each batch, which takes much less time than
// turning a batch into text.
const locationBatch = 2048

const (
	// expansion is how much larger the text of locations is than their stored form.
	expansion = 16
	// maxBatchBytes is the estimated memory of a whole batch.
	maxBatchBytes = 4 << 20
)

// locationsMemory estimates the memory in bytes that reading the report's locations
// takes.
func (r storedReport) locationsMemory() int64 {
	return min(expansion*r.LocationsBytes, maxBatchBytes)
}

// errReportGone means that the report was deleted while its locations were read.
var errReportGone = errors.New("the report was deleted")

// locations returns the locations of the report. It reads a batch at a time, and
// corrects the size of the room, which is for one batch. No connection to the database
// is held between batches.
func (r storedReport) locations(ctx context.Context, db storage.DB, room *api.Room) iter.Seq2[enrich.Location, error] {
	return func(yield func(enrich.Location, error) bool) {
		for from := 0; ; from += locationBatch {
			texts, err := r.readLocations(ctx, db, from)
			if err != nil {
				yield(enrich.Location{}, err)
				return
			}
			size := 0
			for _, text := range texts {
				size += len(text)
			}
			room.Resize(int64(size))
			for _, text := range texts {
				var location enrich.Location
				if err := json.Unmarshal(text, &location); err != nil {
					yield(enrich.Location{}, fmt.Errorf("decode location: %w", err))
					return
				}
				if !yield(location, nil) {
					return
				}
			}
			if len(texts) < locationBatch {
				return
			}
		}
	}
}

// readLocations returns a batch of the report's locations as JSON.
func (r storedReport) readLocations(ctx context.Context, db storage.DB, from int) ([]json.RawMessage, error) {
	rows, err := db.Query(ctx, `
		select location
		from reports
		left join lateral jsonb_path_query(
			locations, '$[$from to $until]', jsonb_build_object('from', @from::int, 'until', @until::int)
		) with ordinality batch (location, position) on true
		where c_report_id = @id
		and created_at = @created_at
		order by position`,
		pgx.StrictNamedArgs{"id": r.CReportID, "created_at": r.CreatedAt, "from": from, "until": from + locationBatch - 1})
	if err != nil {
		return nil, fmt.Errorf("read locations: %w", err)
	}
	texts, err := pgx.CollectRows(rows, pgx.RowTo[json.RawMessage])
	switch {
	case err != nil:
		return nil, fmt.Errorf("read locations: %w", err)
	case len(texts) == 0:
		return nil, errReportGone
	case texts[0] == nil: // the report has no more locations
		return nil, nil
	}
	return texts, nil
}
