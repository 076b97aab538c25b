//go:build linux

package crashtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestNothingRemainsOfAKilledServer kills a server whose socket directory lies in /tmp,
// because its data directory has a long path, and checks that within seconds none of its
// processes runs, and that nothing is left after the next server has stopped.
func TestNothingRemainsOfAKilledServer(t *testing.T) {
	t.Parallel()
	r := newRun(t)
	r.startPrivate(strings.Repeat("long/", 25))
	socketDir := socketDirOf(r.clusterDir)
	if !strings.HasPrefix(socketDir, "/tmp/") {
		t.Fatalf("the socket directory is %s, want one in /tmp", socketDir)
	}
	r.addTenants()
	c := r.client(r.tenants[0])
	if s, ok := c.submit(t.Context(), r.newDocument(c.random)); ok {
		c.follow(t.Context(), s)
	}
	r.nodes[0].kill()
	r.tally.add(place{point: atRandom}, server)
	r.background.Wait() // for the processes of the killed server, while no other one starts
	r.recover()
	r.finish(func() {})
	if _, err := os.Stat(socketDir); err == nil {
		t.Errorf("the socket directory %s remains", socketDir)
	}
	if incomplete, _ := filepath.Glob(filepath.Join(filepath.Dir(r.clusterDir), "postgres-new-*")); len(incomplete) > 0 {
		t.Errorf("%v remain", incomplete)
	}
	unfinished, _ := os.ReadDir(filepath.Join(r.objects, ".unfinished"))
	for _, file := range unfinished {
		if info, err := file.Info(); err == nil && time.Since(info.ModTime()) > time.Hour {
			t.Errorf("the unfinished upload %s remains", file.Name())
		}
	}
}
