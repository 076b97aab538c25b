package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// riverWorkers is the number that River is fastest with here: it fetches as
// many jobs as it has workers free.
const riverWorkers = 4 * workers

// riverJob is a delivery as a job of River.
type riverJob struct {
	URL  string `json:"url"`
	Body string `json:"body"`
}

func (riverJob) Kind() string { return "delivery" }

type riverWorker struct {
	river.WorkerDefaults[riverJob]
	poster poster
}

func (w *riverWorker) Work(ctx context.Context, job *river.Job[riverJob]) error {
	return w.poster.post(ctx, job.Args.URL, []byte(job.Args.Body))
}

// riverQueue does the work with River, on the same database.
type riverQueue struct {
	db     *pgxpool.Pool
	to     *sink
	poster poster
}

func newRiver(ctx context.Context, db *pgxpool.Pool, to *sink) (*riverQueue, error) {
	migrator, err := rivermigrate.New(riverpgxv5.New(db), nil)
	if err != nil {
		return nil, err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return nil, err
	}
	return &riverQueue{db, to, newPoster()}, nil
}

func (q *riverQueue) run(ctx context.Context, n int) (time.Duration, error) {
	if _, err := q.db.Exec(ctx, "truncate river_job"); err != nil {
		return 0, err
	}
	kinds := river.NewWorkers()
	river.AddWorker(kinds, &riverWorker{poster: q.poster})
	client, err := river.NewClient(riverpgxv5.New(q.db), &river.Config{
		Queues:        map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: riverWorkers}},
		Workers:       kinds,
		FetchCooldown: time.Millisecond,
		Logger:        slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return 0, err
	}
	q.to.expect(n)
	if err := client.Start(ctx); err != nil {
		return 0, err
	}
	defer client.Stop(context.WithoutCancel(ctx))
	begun := time.Now()
	for from := 0; from < n; from += publication {
		jobs := make([]river.InsertManyParams, 0, publication)
		for i := from; i < min(from+publication, n); i++ {
			jobs = append(jobs, river.InsertManyParams{Args: riverJob{q.to.url(i), string(newBody(i))}})
		}
		if err := pgx.BeginFunc(ctx, q.db, func(tx pgx.Tx) error {
			_, err := client.InsertManyFastTx(ctx, tx, jobs)
			return err
		}); err != nil {
			return 0, err
		}
	}
	if err := q.to.wait(ctx); err != nil {
		return 0, err
	}
	return time.Since(begun), nil
}
