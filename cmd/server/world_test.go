package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/api/apitest"
	"understudy.example/internal/auth"
	"understudy.example/internal/data"
	"understudy.example/internal/hooks"
	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
	"understudy.example/internal/universal"
	"understudy.example/internal/worker"
)

func TestMain(m *testing.M) {
	worker.Main() // a reader is this binary too
	slog.SetDefault(slog.New(slog.DiscardHandler))
	storagetest.Main(m)
}

// world is a server of one test's own: real routes, a real database, a clock
// that the test moves. Every answer is checked against the document.
type world struct {
	t        testing.TB
	url      string
	client   *http.Client
	db       *pgxpool.Pool
	keys     *auth.Keys
	objects  storage.Objects
	files    string // the directory of the object store
	readers  *worker.Pool
	observer *observer

	mu  sync.Mutex
	now time.Time
}

// readers are shared by all tests.
var readers = sync.OnceValue(func() *worker.Pool {
	return worker.NewPool(4, 2, worker.Limits{Wall: 2 * time.Minute, Memory: 512 << 20})
})

// newWorld starts a server with the demo tenants. change may alter its parts.
func newWorld(t *testing.T, change ...func(*parts)) *world {
	t.Parallel()
	return openWorld(t, change...)
}

// openWorld is newWorld for whoever does not run beside others.
func openWorld(t testing.TB, change ...func(*parts)) *world {
	t.Helper()
	w := &world{t: t, db: storagetest.DB(t), files: t.TempDir(), readers: readers(), now: time.Date(2026, 3, 2, 9, 0, 0, 123456000, time.UTC)}
	w.keys = demo(t, w.db, "sandbox", w.now)
	objects, err := storage.OpenObjects("", w.files)
	if err != nil {
		t.Fatal(err)
	}
	w.objects = objects
	p := parts{
		db:        w.db,
		objects:   objects,
		gate:      auth.NewGate(w.db, w.keys, w.Now),
		seal:      hooks.NewSeal(w.keys.Sealing),
		sender:    hooks.NewSender(hooks.Network{Inside: true}, hooks.Signature{}),
		uploadKey: w.keys.Upload,
		maxUpload: 1 << 20,
		wake:      func() {},
		readers:   w.readers,
		requests:  newInFlight(),
	}
	for _, c := range change {
		c(&p)
	}
	w.observer = newObserver(p.db, p.gate)
	t.Cleanup(func() {
		patient, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		w.observer.Stop(patient)
	})
	p.observer = w.observer
	server := httptest.NewServer(routes(p))
	t.Cleanup(server.Close)
	w.url = server.URL
	w.client = &http.Client{Transport: apitest.New(t, document).Transport(t, http.DefaultTransport)}
	return w
}

// demo prepares a database as the local profile does.
func demo(t testing.TB, db *pgxpool.Pool, environment string, now time.Time) *auth.Keys {
	t.Helper()
	ctx := t.Context()
	keys, err := auth.LoadKeys(ctx, db, environment, bytes.Repeat([]byte("k"), 32), now)
	if err != nil {
		t.Fatal(err)
	}
	tenants, err := auth.SeedDemos(ctx, db, keys, now)
	if err != nil {
		t.Fatal(err)
	}
	for name, id := range tenants {
		if err := data.AddPackages(ctx, db, id, data.PackagesFor(name)...); err != nil {
			t.Fatal(err)
		}
	}
	return keys
}

// Now is the world's time.
func (w *world) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// pass lets time go by, without any work being done.
func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// work does what is due now, and nothing more.
func (w *world) work() {
	w.t.Helper()
	if _, err := universal.Advance(context.Background(), w.db, w.Now(), func() {}); err != nil {
		w.t.Fatal(err)
	}
	for {
		wait, err := universal.Process(context.Background(), w.db, w.objects, w.readers, w.Now, 2, func() {})
		if err != nil {
			w.t.Fatal(err)
		}
		if wait > 0 {
			return
		}
	}
}

// call is a request: "POST /path", with what it carries.
type call struct {
	line   string // method and path, or method and whole URL
	token  string
	key    string
	header map[string]string
	body   string
}

// answer is what came back.
type answer struct {
	Status int
	Header http.Header
	Body   string
}

// do makes the call.
func (w *world) do(c call) answer {
	w.t.Helper()
	return w.doBy(w.client, c)
}

// doBy makes the call by a client of the test's own.
func (w *world) doBy(client *http.Client, c call) answer {
	w.t.Helper()
	method, path, _ := strings.Cut(c.line, " ")
	if strings.HasPrefix(path, "/") {
		path = w.url + path
	}
	request, err := http.NewRequest(method, path, strings.NewReader(c.body))
	if err != nil {
		w.t.Fatal(err)
	}
	if strings.HasPrefix(c.body, "{") {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	if c.key != "" {
		request.Header.Set("X-Api-Key", c.key)
	}
	for name, value := range c.header {
		request.Header.Set(name, value)
	}
	return exchange(w.t, client, request)
}

// send makes the request.
func (w *world) send(request *http.Request) answer {
	w.t.Helper()
	return exchange(w.t, w.client, request)
}

// exchange sends the request by the client and reads the answer.
func exchange(t testing.TB, client *http.Client, request *http.Request) answer {
	t.Helper()
	got, err := try(client, request)
	if err != nil {
		t.Fatal(err)
	}
	if got.Header.Get("X-Request-Id") == "" {
		t.Errorf("%s: no X-Request-Id", request.URL.Path)
	}
	return got
}

// try is exchange for other goroutines than the test's.
func try(client *http.Client, request *http.Request) (answer, error) {
	response, err := client.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(body)}, err
}

// want fails the test unless the answer has this status, and, when given,
// exactly this body.
func (a answer) want(t testing.TB, status int, body ...string) answer {
	t.Helper()
	if a.Status != status || len(body) > 0 && a.Body != body[0] {
		t.Fatalf("answer %d %s, want %d %s", a.Status, a.Body, status, strings.Join(body, ""))
	}
	return a
}

// get returns the value at the path of keys in the answer's JSON.
func (a answer) get(t testing.TB, path ...string) any {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(a.Body), &value); err != nil {
		t.Fatalf("answer %s: %v", a.Body, err)
	}
	for _, key := range path {
		object, _ := value.(map[string]any)
		var ok bool
		if value, ok = object[key]; !ok {
			t.Fatalf("answer %s: no %s", a.Body, strings.Join(path, "."))
		}
	}
	return value
}

// text returns the string at the path of keys in the answer's JSON.
func (a answer) text(t testing.TB, path ...string) string {
	t.Helper()
	text, ok := a.get(t, path...).(string)
	if !ok {
		t.Fatalf("answer %s: %s is no string", a.Body, strings.Join(path, "."))
	}
	return text
}

// caller makes calls with a client's token and API key.
type caller struct {
	*world
	token, key string
}

// login returns a caller for one of the demo clients.
func (w *world) login(demo auth.Demo) caller {
	w.t.Helper()
	return caller{w, w.token(demo).text(w.t, "access_token"), demo.APIKey}
}

// acme is a full client of the tenant acme.
func (w *world) acme() caller { return w.login(auth.Demos[0]) }

// globex is a full client of the tenant globex.
func (w *world) globex() caller { return w.login(auth.Demos[1]) }

// token fetches an access token by client credentials.
func (w *world) token(demo auth.Demo) answer {
	w.t.Helper()
	return w.do(call{
		line:   "POST /auth/token?grant_type=client_credentials",
		header: map[string]string{"Authorization": basicAuth(demo.ClientID, demo.ClientSecret)},
	}).want(w.t, http.StatusOK)
}

func basicAuth(id, secret string) string {
	request := http.Request{Header: http.Header{}}
	request.SetBasicAuth(id, secret)
	return request.Header.Get("Authorization")
}

// do makes the call as the client.
func (c caller) do(line, body string) answer {
	c.t.Helper()
	return c.world.do(call{line: line, token: c.token, key: c.key, body: body})
}

// announce asks for an upload address.
func (c caller) announce(filename string) (txID, uploadURL string) {
	c.t.Helper()
	body, _ := json.Marshal(map[string]string{"filename": filename})
	got := c.do("POST /universal/v2/universal-submit/file-upload-url", string(body)).want(c.t, http.StatusOK)
	return got.text(c.t, "tx_id"), got.text(c.t, "upload_url")
}

// upload puts the file at the address.
func (w *world) upload(url, filename string, content []byte) answer {
	w.t.Helper()
	kind, body := form(w.t, part{"file", filename, content})
	return w.do(call{line: "PUT " + url, header: map[string]string{"Content-Type": kind}, body: body})
}

// part is one part of a multipart body.
type part struct {
	name, filename string
	content        []byte
}

// form makes a multipart body.
func form(t testing.TB, partsOf ...part) (contentType, body string) {
	t.Helper()
	var buffer bytes.Buffer
	writer := multipart.NewWriter(&buffer)
	for _, p := range partsOf {
		header := textproto.MIMEHeader{}
		header.Set("Content-Disposition", multipart.FileContentDisposition(p.name, p.filename))
		header.Set("Content-Type", "application/octet-stream")
		out, err := writer.CreatePart(header)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(p.content)
	}
	writer.Close()
	return writer.FormDataContentType(), buffer.String()
}

// trigger starts processing.
func (c caller) trigger(txID string) answer {
	c.t.Helper()
	return c.do("POST /universal/v2/universal-submit/file/"+txID, "")
}

// status asks how the submission stands.
func (c caller) status(txID string) answer {
	c.t.Helper()
	return c.do("GET /universal/v2/universal-submit/status/"+txID, "")
}

// submit takes a file through announce, upload, trigger and all its states,
// and returns its tx_id.
func (c caller) submit(filename string, content []byte) string {
	c.t.Helper()
	txID, url := c.announce(filename)
	c.world.upload(url, filename, content).want(c.t, http.StatusOK)
	c.trigger(txID).want(c.t, http.StatusOK)
	c.settle()
	return txID
}

// settle takes what was triggered now through all its states.
func (w *world) settle() {
	w.t.Helper()
	for _, wait := range []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second} {
		w.pass(wait)
		w.work()
	}
}

// example reads one of the example documents.
func example(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile("../../examples/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
