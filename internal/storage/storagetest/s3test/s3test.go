// Package s3test runs an S3 server, the program versitygw, for tests of the object store
// and of servers that use it.
package s3test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// The credentials of every server that Start starts.
const (
	AccessKey = "test-access-key"
	SecretKey = "test-secret-key"
)

// Bucket is the name of the bucket, and of the directory that contains its objects.
const Bucket = "understudy"

const (
	region       = "us-east-1"
	startTimeout = 30 * time.Second
)

// Server is an S3 server with one empty bucket.
type Server struct {
	Address string // host and port
	Dir     string // where it stores the bucket

	t        testing.TB
	program  string // path
	metadata string // directory
	process  *exec.Cmd
	exited   chan struct{}
}

// Start starts a server that runs until the test ends. It skips the test if versitygw is
// not installed. arguments are options of versitygw, such as --readonly.
//
// The first call sets the environment variables of Environment in this process, so that
// OpenObjects finds the credentials.
func Start(t testing.TB, arguments ...string) *Server {
	t.Helper()
	return StartIn(t, t.TempDir(), arguments...)
}

// StartIn is Start with a directory for the bucket.
func StartIn(t testing.TB, dir string, arguments ...string) *Server {
	t.Helper()
	setEnvironment()
	s := &Server{t: t, Dir: dir, program: findProgram(t), metadata: t.TempDir()}
	t.Cleanup(s.Stop)
	if err := os.Mkdir(filepath.Join(dir, Bucket), 0o755); err != nil {
		t.Fatal(err)
	}
	err := errors.New("no address")
	for range 5 { // another process may take the address first
		s.Address = freeAddress(t)
		if err = s.start(arguments); err == nil {
			return s
		}
	}
	t.Fatal(err)
	return nil
}

// Environment returns the environment variables, as NAME=value, with which a server
// finds the credentials.
func Environment() []string {
	return []string{"AWS_ACCESS_KEY_ID=" + AccessKey, "AWS_SECRET_ACCESS_KEY=" + SecretKey, "AWS_EC2_METADATA_DISABLED=true"}
}

var setEnvironment = sync.OnceFunc(func() {
	for _, variable := range Environment() {
		name, value, _ := strings.Cut(variable, "=")
		os.Setenv(name, value)
	}
})

// ObjectsURL returns the location of an object store in the bucket, below the prefix.
func (s *Server) ObjectsURL(prefix string) string { return ObjectsURL(s.Address, prefix) }

// ObjectsURL returns the location of an object store on a server that is reached at
// another address, such as that of a proxy.
func ObjectsURL(address, prefix string) string {
	query := url.Values{"endpoint": {"http://" + address}, "region": {region}, "path_style": {"true"}}
	return "s3://" + Bucket + "/" + prefix + "?" + query.Encode()
}

// Stop kills the server, if it runs.
func (s *Server) Stop() {
	if s.process == nil {
		return
	}
	s.process.Process.Kill()
	<-s.exited
	s.process = nil
}

// Restart starts the server on the same address and with the same bucket, after it has
// stopped it.
func (s *Server) Restart(arguments ...string) {
	s.t.Helper()
	s.Stop()
	if err := s.start(arguments); err != nil {
		s.t.Fatal(err)
	}
}

// start starts the process and waits until it responds.
func (s *Server) start(arguments []string) error {
	all := append([]string{
		"--port", s.Address, "--access", AccessKey, "--secret", SecretKey, "--region", region,
		"--health", "/health", "--quiet",
	}, arguments...)
	process := exec.Command(s.program, append(all, "posix", "--sidecar", s.metadata, s.Dir)...)
	output := &strings.Builder{}
	process.Stdout, process.Stderr = output, output
	if err := process.Start(); err != nil {
		return err
	}
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		process.Wait()
	}()
	s.process, s.exited = process, exited
	for deadline := time.Now().Add(startTimeout); time.Now().Before(deadline); {
		responds := s.responds()
		select {
		case <-exited:
			s.process = nil
			return fmt.Errorf("versitygw ended: %s", output)
		case <-time.After(5 * time.Millisecond):
		}
		if responds {
			return nil
		}
	}
	s.Stop()
	return fmt.Errorf("versitygw does not respond within %s", startTimeout)
}

func (s *Server) responds() bool {
	response, err := http.Get("http://" + s.Address + "/health")
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// findProgram returns the path of versitygw. It skips the test if it is not installed.
func findProgram(t testing.TB) string {
	t.Helper()
	const name = "versitygw"
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	if out, err := exec.Command("go", "env", "GOPATH").Output(); err == nil {
		if path, err := exec.LookPath(filepath.Join(strings.TrimSpace(string(out)), "bin", name)); err == nil {
			return path
		}
	}
	const missing = "versitygw is not installed: go install github.com/versity/versitygw/cmd/versitygw@v1.8.0"
	if os.Getenv("REQUIRE_VERSITYGW") != "" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

// freeAddress returns an address on which nothing listens.
func freeAddress(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}
