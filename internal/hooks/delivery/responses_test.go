package delivery

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/storage/storagetest"
)

// query returns the values of one column.
func query[T any](t *testing.T, db *pgxpool.Pool, sql string, args ...any) []T {
	t.Helper()
	rows, err := db.Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	values, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// TestEarlierResponsesAreShortened checks that only the last attempt of a delivery keeps
// its whole response, and that the beginnings of the others are shown.
func TestEarlierResponsesAreShortened(t *testing.T) {
	t.Parallel()
	db, ctx, now := storagetest.DB(t), t.Context(), time.Now()
	delivery := claimNew(t, db, now, 1)[0]
	long := []byte("HTTP/1.1 500\r\nA: b\r\n\r\n" + strings.Repeat("x", MaxResponseBody))
	longHead := []byte("HTTP/1.1 500\r\nA: b\r\nLong: " + strings.Repeat("h", 2*maxEarlierResponse) + "\r\n\r\n")
	for i, response := range [][]byte{long, longHead, long, long} {
		status := 500
		if i == 3 {
			status = 200
		}
		if i > 0 {
			now = now.Add(time.Hour)
			taken, err := claim(ctx, db, now, nil, 1)
			if err != nil || len(taken) != 1 {
				t.Fatal(taken, err)
			}
			delivery = taken[0]
		}
		if _, err := record(ctx, db, []result{attemptResult(delivery, now, Outcome{Status: status, Response: response})}, now); err != nil {
			t.Fatal(err)
		}
		// The last response is whole, and the others have at most maxEarlierResponse bytes.
		want := slices.Repeat([]int{maxEarlierResponse}, i)
		if diff := cmp.Diff(append(want, len(response)), query[int](t, db, "select octet_length(response) from attempts order by number")); diff != "" {
			t.Errorf("sizes after attempt %d: %s", i+1, diff)
		}
	}
	details, err := AttemptDetails(ctx, db, delivery.TenantID, []uuid.UUID{delivery.HookID}, []uuid.UUID{delivery.ID}, true)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, attempt := range details[delivery.ID] {
		got = append(got, fmt.Sprintf("%d %v %d", attempt.Status, attempt.Header, len(attempt.Body)))
	}
	want := []string{"500 map[A:[b]] 1002", "500 map[A:[b]] 0", "500 map[A:[b]] 1002", "200 map[A:[b]] 16384"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestResponsesOfTenantAreTrimmed checks that a server which has stored many responses of
// a tenant empties the oldest ones beyond the limit, of failed and of successful attempts,
// also if all were made at the same time, and that the attempts remain.
func TestResponsesOfTenantAreTrimmed(t *testing.T) {
	t.Parallel()
	db, ctx, now := storagetest.DB(t), t.Context(), time.Now()
	deliveries := claimNew(t, db, now, 60)
	mebibyte := make([]byte, 1<<20)
	var results []result
	for i, delivery := range deliveries {
		results = append(results, attemptResult(delivery, now, Outcome{Status: 200 + 300*(i%2), Response: mebibyte}))
	}
	if _, err := record(ctx, db, results, now); err != nil {
		t.Fatal(err)
	}
	d := NewDispatcher(db, "local", nil, nil, nil, time.Now)
	d.db = db
	for _, step := range []struct{ recorded, empty int }{{5, 0}, {6, 10}, {5, 10}} {
		d.finish(ctx, results[:step.recorded], nil)
		if err := d.trimResponses(ctx); err != nil {
			t.Fatal(err)
		}
		sizes := query[int](t, db, "select octet_length(response) from attempts order by delivery_id")
		want := append(make([]int, step.empty), slices.Repeat([]int{1 << 20}, len(deliveries)-step.empty)...)
		if diff := cmp.Diff(want, sizes); diff != "" {
			t.Errorf("after %d recorded responses: %s", step.recorded, diff)
		}
		clear(d.stored)
	}
}
