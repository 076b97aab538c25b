//go:build linux

package crashtest

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// smallDisk returns a new directory with its own file system of the given size in MiB.
// It skips the test if that is not possible.
func smallDisk(t *testing.T, megabytes int) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a small file system")
	}
	dir := filepath.Join(servertest.DataDir(t), "disk")
	if err := os.Mkdir(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=0711,size="+strconv.Itoa(megabytes)+"m"); err != nil {
		t.Skipf("cannot mount a small file system: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill writes a file until the directory's file system is full. It returns a function
// that removes the file.
func fill(t *testing.T, dir string) (free func()) {
	t.Helper()
	name := filepath.Join(dir, "filler")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, size := range []int{1 << 20, 4096, 1} { // the last bytes too
		block := make([]byte, size)
		for err = nil; err == nil; {
			_, err = f.Write(block)
		}
	}
	return func() {
		if err := os.Remove(name); err != nil {
			t.Error(err)
		}
	}
}

// TestFullObjectDisk fills the disk of the uploaded files. Uploads get 503 with
// Retry-After and a hint, /readyz reports that the server is degraded, other calls
// succeed, and the server recovers by itself.
func TestFullObjectDisk(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, 4)
	r := newRun(t)
	r.startPrivate("data", "--objects-url", "file://"+disk)
	r.addTenants()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r.startClients(ctx)
	time.Sleep(500 * time.Millisecond)

	free := fill(t, disk)
	r.journal.write(everybody, "--- the disk of the uploaded files is full")
	r.awaitReadyz("degraded", "the disk of the uploaded files is full")
	r.checkRefusedUpload()
	c := r.client(r.tenants[0])
	c.submitCompany(t.Context())
	free()
	r.journal.write(everybody, "--- the disk has space again")
	r.awaitReadyz("ok", "the disk has space again")
	if s, ok := c.submit(t.Context(), r.newDocument(c.random)); ok {
		c.follow(t.Context(), s)
	}
	r.finish(stop)
}

// TestFullDatabaseDisk fills the disk of the private PostgreSQL. Calls succeed or get
// 503 with Retry-After, /readyz reports that the server is unavailable, and the server
// recovers by itself when there is space again.
func TestFullDatabaseDisk(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, 160)
	r := newRun(t)
	r.startIn(disk, "--objects-url", "file://"+t.TempDir())
	r.addTenants()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r.startClients(ctx)
	time.Sleep(500 * time.Millisecond)

	free := fill(t, disk)
	r.journal.write(everybody, "--- the disk of PostgreSQL is full")
	full := time.Now()
	written := r.count503()
	for r.count503() == written && time.Since(full) < pointLimit { // until PostgreSQL needs more space
		time.Sleep(10 * time.Millisecond)
	}
	r.awaitReadyz("unavailable", "the disk of PostgreSQL is full")
	r.tally.note("the disk of PostgreSQL was full: %d calls got 503", r.count503()-written)
	free()
	r.journal.write(everybody, "--- the disk has space again")
	begun := time.Now()
	r.awaitReadyz("ok", "the disk has space again")
	r.recoveries.add(time.Since(begun))
	r.finish(stop)
}

// TestStartOnFullDisk starts a server whose PostgreSQL has no disk space, and checks that
// its error names the cause.
func TestStartOnFullDisk(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, 160)
	arguments := []string{"--listen", "127.0.0.1:0", "--control", "127.0.0.1:0", "--data-dir", filepath.Join(disk, "data")}
	first := servertest.Start(t, arguments...)
	first.Cmd.Process.Signal(syscall.SIGTERM) // the PostgreSQL of a killed server would free space later
	<-first.Exited
	free := fill(t, disk)
	if refusal := servertest.Refusal(t, arguments...); !strings.Contains(refusal, "has only 0 KiB free") {
		t.Errorf("refused with %q, want the free space", refusal)
	}
	free()
	servertest.Start(t, arguments...)
}

// count503 returns the number of calls that got 503.
func (r *run) count503() int {
	r.journal.mu.Lock()
	defer r.journal.mu.Unlock()
	return r.journal.counts["503"]
}

// awaitReadyz waits until /readyz shows the state.
func (r *run) awaitReadyz(want, because string) {
	r.t.Helper()
	begun := time.Now()
	for {
		if _, state := r.readyz(r.nodes[0]); state == want {
			break
		}
		if time.Since(begun) > pointLimit {
			r.journal.fail(badResponse, "", "/readyz does not show %s within %v although %s", want, pointLimit, because)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	r.tally.note("/readyz was %s %.1f s after %s", want, time.Since(begun).Seconds(), because)
}

// checkRefusedUpload uploads a file to a full disk.
func (r *run) checkRefusedUpload() {
	c := r.client(r.tenants[0])
	announced, ok := c.do(r.t.Context(), call{kind: "get an upload URL", line: servertest.GetUploadURL, body: `{"filename":"a.txt"}`})
	if !ok {
		return
	}
	uploadURL, err := url.Parse(text(announced, "upload_url"))
	if err != nil {
		r.t.Fatal(err)
	}
	contentType, body := servertest.Form(r.t, servertest.Part{Name: "file", Filename: "a.txt", Content: r.longDocument().content})
	response, err := c.attempt(call{line: "PUT " + uploadURL.RequestURI(), body: body, header: map[string]string{"Content-Type": contentType, "Authorization": "", "X-Api-Key": ""}})
	if err != nil || response.Status != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" || response.Header.Get("X-Understudy-Hint") == "" {
		r.journal.fail(badResponse, text(announced, "tx_id"), "an upload to a full disk: %d %v %s, %v; want 503 with Retry-After and X-Understudy-Hint",
			response.Status, response.Header, response.Body, err)
	}
}
