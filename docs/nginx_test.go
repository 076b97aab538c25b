package docs_test

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy.example/internal/certificate/certificatetest"
	"understudy.example/internal/server/servertest"
)

// nginx is a running nginx with deploy/nginx.conf in front of two servers.
type nginx struct {
	*servertest.Server        // as clients see it through nginx
	address            string // of the API
	dir                string // of the logs
	tls                *tls.Config
}

// startNginx starts nginx with deploy/nginx.conf. It replaces the addresses and paths in the
// configuration, and the old texts by the new texts of the pairs.
func startNginx(t *testing.T, replacements ...string) nginx {
	t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		if program = "/usr/sbin/nginx"; !executable(program) {
			t.Skip("nginx is missing: apt-get install nginx")
		}
	}
	text, err := os.ReadFile("../deploy/nginx.conf")
	if err != nil {
		t.Fatal(err)
	}
	first := servertest.New(t, servertest.RealClock)
	second := first.Replica()
	dir := servertest.DataDir(t)
	authority := certificatetest.NewAuthority(t)
	certificate, key := authority.Files(t, time.Hour, "127.0.0.1")
	cmd := exec.Command(program, "-e", "stderr", "-p", dir, "-c", filepath.Join(dir, "nginx.conf"))
	cmd.Env = []string{"NGINX="} // the sockets that nginx inherits, as in an upgrade of nginx
	listen := func() string {
		socket, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer socket.Close()
		file, err := socket.(*net.TCPListener).File()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		cmd.ExtraFiles = append(cmd.ExtraFiles, file)
		cmd.Env[0] += fmt.Sprintf("%d;", 2+len(cmd.ExtraFiles))
		return socket.Addr().String()
	}
	api, control := listen(), listen()
	configuration := strings.NewReplacer(append(replacements,
		"listen 443 ", "listen "+api+" ", "listen 8443 ", "listen "+control+" ",
		"server-1:8080", host(t, first.URL), "server-2:8080", host(t, second.URL),
		"server-1:8081", host(t, first.ControlURL), "server-2:8081", host(t, second.ControlURL),
		secretFiles+"tls.crt", certificate, secretFiles+"tls.key", key, "/var/log/nginx", dir,
	)...).Replace(string(text))
	configuration = "daemon off;\npid nginx.pid;\n" + configuration
	if err := os.WriteFile(cmd.Args[len(cmd.Args)-1], []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	process := servertest.NewProcess(t, cmd)
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		<-process.Exited
		if t.Failed() {
			log, _ := os.ReadFile(filepath.Join(dir, "error.log"))
			t.Logf("%s%s", process.Output, log)
		}
	})
	process.API, process.ControlURL, process.Roots = "https://"+api, "https://"+control, authority.Pool()
	return nginx{process.Server(), api, dir, &tls.Config{RootCAs: process.Roots, ServerName: "127.0.0.1"}}
}

// host returns the host and port of a URL.
func host(t *testing.T, text string) string {
	t.Helper()
	parsed, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Host
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&0o111 != 0
}

// open opens a connection to the API and sends the beginning of a request.
func (n nginx) open(t *testing.T, text string) {
	t.Helper()
	connection, err := tls.Dial("tcp", n.address, n.tls)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	if _, err := connection.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
}

// TestNginxAfterDroppedConnections checks that a fault that drops the connections of one
// tenant does not affect the calls of another: nginx must not stop using the servers.
func TestNginxAfterDroppedConnections(t *testing.T) {
	n := startNginx(t)
	dropping, other := n.NewTenant("{}"), n.NewTenant("{}")
	tx, _ := other.Announce("letter.txt")
	for _, line := range []string{"GET /universal/v2/universal-submit/status/{tx_id}", "POST /universal/v2/universal-submit/file-upload-url"} {
		dropping.Fault(`{"route":"` + line + `","drop":true}`)
		call := servertest.Call{Line: strings.Replace(line, "{tx_id}", tx, 1), Token: dropping.Token, Key: dropping.Key, Body: `{"filename":"letter.txt"}`}
		dropped := 0
		servertest.Until(t, "4 calls are dropped", func() bool {
			response, err := servertest.Try(&http.Client{Transport: &http.Transport{TLSClientConfig: n.tls}}, n.Request(call))
			if err == nil && response.Status == http.StatusBadGateway {
				dropped++
			}
			return dropped == 4
		})
		for range 4 {
			other.Status(tx).Want(t, http.StatusOK)
			other.Control("GET /clock", "").Want(t, http.StatusOK)
		}
	}
}

// TestNginxWithoutOneServer checks that no call fails while one server refuses connections.
func TestNginxWithoutOneServer(t *testing.T) {
	n := startNginx(t, "server-2:", "127.0.0.1:1; #")
	tenant := n.NewTenant("{}")
	for range 4 {
		tx, _ := tenant.Announce("letter.txt")
		tenant.Status(tx).Want(t, http.StatusOK)
		tenant.Control("GET /clock", "").Want(t, http.StatusOK)
	}
}

// TestNginxConnections checks that clients that open many connections without completing a
// request do not affect the calls of others.
func TestNginxConnections(t *testing.T) {
	n := startNginx(t)
	tenant := n.NewTenant("{}")
	for range 1000 {
		n.open(t, "GET / HTTP/1.1\r\n")
	}
	tx, _ := tenant.Announce("letter.txt")
	tenant.Status(tx).Want(t, http.StatusOK)
	tenant.Control("GET /clock", "").Want(t, http.StatusOK)
}

// TestNginxConnectionsOfOneClient checks that nginx limits the calls in progress of one
// client.
func TestNginxConnectionsOfOneClient(t *testing.T) {
	n := startNginx(t, " clients 1000;", " clients 4;")
	_, uploadURL := n.NewTenant("{}").Announce("letter.txt")
	upload, err := url.Parse(uploadURL)
	if err != nil {
		t.Fatal(err)
	}
	servertest.Until(t, "a further call is refused", func() bool {
		// nginx can refuse some of these calls, because it still counts an earlier call that
		// has ended. A server ends a call that makes no progress for 10 seconds.
		n.open(t, "PUT "+upload.RequestURI()+" HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 100\r\n\r\n")
		response, err := servertest.Try(&http.Client{Transport: &http.Transport{TLSClientConfig: n.tls}}, n.Request(servertest.Call{Line: "GET /readyz"}))
		return err == nil && response.Status == http.StatusTooManyRequests
	})
}

// TestNginxLogHasNoSecrets checks that the log has the path of an upload, but not the query,
// which is a secret.
func TestNginxLogHasNoSecrets(t *testing.T) {
	n := startNginx(t)
	_, uploadURL := n.NewTenant("{}").Announce("letter.txt")
	upload, err := url.Parse(uploadURL)
	if err != nil {
		t.Fatal(err)
	}
	n.Upload(n.URL+upload.RequestURI(), "letter.txt", servertest.Letter).Want(t, http.StatusOK)
	servertest.Until(t, "the call is in the log", func() bool {
		log, err := os.ReadFile(filepath.Join(n.dir, "access.log"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(log), upload.Query().Get("data")) {
			t.Fatalf("the log has the upload URL: %s", log)
		}
		return strings.Contains(string(log), `"PUT /file-transfer/upload-file" 200`)
	})
}
