package server_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage/storagetest"
)

// TestUploadUsesConstantMemory checks that the server's memory does not grow with
// the uploaded file.
func TestUploadUsesConstantMemory(t *testing.T) {
	servertest.Proves(t, "Chosen, universal submit: uploads of 100 MB are accepted by default")
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("memory is read from /proc, which does not exist here")
	}
	t.Parallel()
	p := servertest.Start(t, "DATABASE_URL="+storagetest.URL(t), "--data-dir", t.TempDir())
	if grown := memoryOfUpload(t, p); grown >= 16<<20 {
		t.Errorf("resident memory grew by %d MiB during an upload of 100 MiB, want less than 16", grown>>20)
	}
}

// memoryOfUpload uploads a file of 100 MiB, and returns by how many bytes the process's
// resident memory grew meanwhile, compared with that after a small upload.
func memoryOfUpload(t *testing.T, p *servertest.Process) int64 {
	t.Helper()
	acme := p.Server().Acme()
	upload := func(size int64, eachMegabyte func()) {
		t.Helper()
		_, url := acme.Announce("a.bin")
		const head, tail = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\n\r\n", "\r\n--b--\r\n"
		request, err := http.NewRequest(http.MethodPut, url, io.MultiReader(strings.NewReader(head), &content{size, eachMegabyte}, strings.NewReader(tail)))
		if err != nil {
			t.Fatal(err)
		}
		request.ContentLength = int64(len(head)) + size + int64(len(tail))
		request.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		response, err := servertest.Try(http.DefaultClient, request)
		if err != nil {
			t.Fatal(err)
		}
		response.Want(t, http.StatusOK)
	}
	upload(4<<20, func() {}) // what any upload needs
	before, most := residentMemory(t, p), int64(0)
	upload(100<<20, func() { most = max(most, residentMemory(t, p)) })
	return most - before
}

// residentMemory returns the process's resident memory in bytes.
func residentMemory(t *testing.T, p *servertest.Process) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	var kilobytes int64
	if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}

// content reads as left bytes, with a call of eachMegabyte before each of their
// megabytes.
type content struct {
	left         int64
	eachMegabyte func()
}

func (c *content) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, io.EOF
	}
	if c.left%(1<<20) == 0 {
		c.eachMegabyte()
	}
	p = p[:min(int64(len(p)), c.left, (c.left-1)%(1<<20)+1)]
	for i := range p {
		p[i] = byte(c.left) + byte(i)
	}
	c.left -= int64(len(p))
	return len(p), nil
}
