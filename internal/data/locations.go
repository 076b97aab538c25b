package data

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/enrich"
	"understudy.example/internal/storage"
)

// locations returns the locations of the report, which are read in batches. room is the
// memory for one batch.
func (r storedReport) locations(ctx context.Context, db storage.DB, room *api.Room) iter.Seq2[enrich.Location, error] {
	texts := storage.Array(ctx, db, `
		select location
		from reports
		left join lateral jsonb_path_query(
			locations, '$[$from to $until]', jsonb_build_object('from', @from::int, 'until', @until::int)
		) with ordinality batch (location, position) on true
		where c_report_id = @id
		and created_at = @created_at
		order by position`,
		pgx.StrictNamedArgs{"id": r.CReportID, "created_at": r.CreatedAt}, 0, math.MaxInt, room.Resize)
	return func(yield func(enrich.Location, error) bool) {
		for text, err := range texts {
			var location enrich.Location
			if err == nil {
				err = json.Unmarshal(text, &location)
			}
			if errors.Is(err, storage.ErrRowGone) {
				yield(location, reportNotFound())
				return
			}
			if err != nil {
				yield(location, fmt.Errorf("read locations: %w", err))
				return
			}
			if !yield(location, nil) {
				return
			}
		}
	}
}
