package storage_test

import (
	"testing"

	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
)

// TestMissingSpaceIsRemembered checks that a statement which fails because PostgreSQL has
// no disk space is remembered, whichever pool it used, until PostgreSQL can write again,
// and that the check leaves nothing behind.
func TestMissingSpaceIsRemembered(t *testing.T) {
	t.Parallel()
	pools := openPools(t, storagetest.URL(t), storage.Limits{Connections: storage.MinConnections})
	if pools.IsFull() {
		t.Error("the disk is full before any statement")
	}
	_, err := pools.Company.Exec(t.Context(), "do $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$")
	if err == nil || !pools.IsFull() {
		t.Errorf("error %v, full %t, want true", err, pools.IsFull())
	}
	if reason := storage.UnavailableReason(err); reason != "the database is unavailable: its disk is full: retry later" {
		t.Errorf("reason %q", reason)
	}
	if err := pools.CheckSpace(t.Context()); err != nil || pools.IsFull() {
		t.Errorf("error %v, full %t, want false", err, pools.IsFull())
	}
	var left bool
	if err := pools.Health.QueryRow(t.Context(), "select to_regclass('space_check') is not null").Scan(&left); err != nil || left {
		t.Errorf("the table is left: %t, %v", left, err)
	}
}
