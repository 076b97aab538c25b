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

// riverWorkers is the number of workers with which River is fastest here: it
// fetches as many jobs at once as it has idle workers.
const riverWorkers = 4 * workers

// riverJob is a delivery as a River job.
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

// riverQueue is the candidate that uses River on the same database.
type riverQueue struct {
	db        *pgxpool.Pool
	receivers *receivers
	poster    poster
}

func newRiverQueue(ctx context.Context, db *pgxpool.Pool, receivers *receivers) (*riverQueue, error) {
	migrator, err := rivermigrate.New(riverpgxv5.New(db), nil)
	if err != nil {
		return nil, err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return nil, err
	}
	return &riverQueue{db, receivers, newPoster()}, nil
}

func (q *riverQueue) run(ctx context.Context, n int) (time.Duration, error) {
	if _, err := q.db.Exec(ctx, "truncate river_job"); err != nil {
		return 0, err
	}
	registry := river.NewWorkers()
	river.AddWorker(registry, &riverWorker{poster: q.poster})
	client, err := river.NewClient(riverpgxv5.New(q.db), &river.Config{
		Queues:        map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: riverWorkers}},
		Workers:       registry,
		FetchCooldown: time.Millisecond,
		Logger:        slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return 0, err
	}
	q.receivers.expect(n)
	if err := client.Start(ctx); err != nil {
		return 0, err
	}
	defer client.Stop(context.WithoutCancel(ctx))
	start := time.Now()
	for from := 0; from < n; from += batchSize {
		jobs := make([]river.InsertManyParams, 0, batchSize)
		for i := from; i < min(from+batchSize, n); i++ {
			jobs = append(jobs, river.InsertManyParams{Args: riverJob{q.receivers.urlFor(i), string(newBody(i))}})
		}
		if err := pgx.BeginFunc(ctx, q.db, func(tx pgx.Tx) error {
			_, err := client.InsertManyFastTx(ctx, tx, jobs)
			return err
		}); err != nil {
			return 0, err
		}
	}
	if err := q.receivers.wait(ctx); err != nil {
		return 0, err
	}
	return time.Since(start), nil
}
