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

// Window selects elements of location data: it skips First elements and selects at most
// Most of the following ones.
type Window struct{ First, Most int }

// AllLocations is the window of inquiries by clients.
var AllLocations = Window{0, math.MaxInt}

// LocationsHeader is the header of a response with a window of locations. It has the
// number of all locations of the report.
const LocationsHeader = "X-Understudy-Locations"

// countLocations returns the number of the report's locations.
func (r storedReport) countLocations(ctx context.Context, db storage.DB) (count int, err error) {
	err = db.QueryRow(ctx, `
		select jsonb_array_length(locations)
		from reports
		where c_report_id = @id
		and created_at = @created_at`,
		pgx.StrictNamedArgs{"id": r.CReportID, "created_at": r.CreatedAt}).Scan(&count)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, reportNotFound()
	}
	if err != nil {
		return 0, fmt.Errorf("count locations: %w", err)
	}
	return count, nil
}

// locations returns the locations of the report that are in the window, which are read in
// batches. room is the memory for one batch.
func (r storedReport) locations(ctx context.Context, db storage.DB, window Window, room *api.Room) iter.Seq2[enrich.Location, error] {
	texts := storage.Array(ctx, db, `
		select location
		from reports
		left join lateral jsonb_path_query(
			locations, '$[$from to $until]', jsonb_build_object('from', @from::int, 'until', @until::int)
		) with ordinality batch (location, position) on true
		where c_report_id = @id
		and created_at = @created_at
		order by position`,
		pgx.StrictNamedArgs{"id": r.CReportID, "created_at": r.CreatedAt}, window.First, window.Most, room.Resize)
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
