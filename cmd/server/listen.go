package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

// listenCommand is `server listen`.
type listenCommand struct {
	tenantFlags `embed:""`

	ForwardTo string   `placeholder:"URL" help:"Forward the deliveries to this URL, such as localhost:4000/hook. Without it, deliveries are only printed, and the response is 200."`
	Events    []string `default:"*" placeholder:"SUBJECT,…" help:"Comma-separated subjects, such as universal_submit, or * for all events."`
	Secret    string   `env:"UNDERSTUDY_WEBHOOK_SECRET" secret:"" placeholder:"TEXT" help:"The secret that signs the deliveries. The default is random."`
}

// Help describes the command.
func (listenCommand) Help() string {
	return `Subscribes to the events of a tenant until it is interrupted. It prints each delivery, and forwards it with its unchanged body, headers and signature. The server gets the response of the URL, and retries the delivery if the status is not 2xx. The signing secret is printed at the start.

The server delivers to a free port of the loopback interface, so it must run on this machine. A subscription that a killed command has left behind is deleted at the next start.`
}

// listenName is the name of the subscriptions that the command creates.
const listenName = "server listen"

// Run prints and forwards deliveries until ctx ends.
func (c listenCommand) Run(ctx context.Context) error {
	forwardTo, err := c.forwardTo()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM) // a second signal must not end the deletion of the subscription
	defer stop()
	control, tenant, err := c.connect(ctx)
	if err != nil {
		return err
	}
	if err := control.deleteStale(ctx, tenant); err != nil {
		return err
	}
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if c.Secret == "" {
		c.Secret = rand.Text()
	}
	// The path is random, so that a program that later listens on this port is not mistaken for
	// the command.
	receiver := url.URL{Scheme: "http", Host: socket.Addr().String(), Path: "/" + rand.Text()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+receiver.Path, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.Handle("POST "+receiver.Path, newForwarder(forwardTo, os.Stdout))
	server := &http.Server{Handler: mux}
	defer server.Close()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(socket) }()

	var created struct{ ID string }
	if err := control.call(ctx, http.MethodPost, tenantPath(tenant, "/hooks"), map[string]any{
		"name": listenName, "url": receiver.String(), "events": c.Events, "secret": c.Secret, "active": true,
	}, &created); err != nil {
		return fmt.Errorf("create a subscription: %w", err)
	}
	fmt.Fprintf(stdout, "Ready. The signing secret of tenant %s is %s\nPress Ctrl-C to end.\n", tenant, c.Secret)
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return errors.Join(err, control.deleteHook(ending, tenant, created.ID), server.Shutdown(ending))
}

// forwardTo returns the URL of the receiver; nil if there is none.
func (c listenCommand) forwardTo() (*url.URL, error) {
	text := c.ForwardTo
	if text == "" {
		return nil, nil
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	parsed, err := url.Parse(text)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return nil, fmt.Errorf("listen: --forward-to %s is not an http or https URL", c.ForwardTo)
	}
	return parsed, nil
}

func (c controlAPI) deleteHook(ctx context.Context, tenant, id string) error {
	response, err := c.Call(ctx, http.MethodDelete, tenantPath(tenant, "/hooks/"+url.PathEscape(id)), nil)
	if err == nil && response.Status == http.StatusNotFound {
		return nil
	}
	return c.decode(response, err, nil)
}

// deleteStale deletes the subscriptions of earlier commands that no longer listen.
func (c controlAPI) deleteStale(ctx context.Context, tenant string) error {
	var list struct {
		Hooks []struct{ ID, Name, URL string }
	}
	if err := c.call(ctx, http.MethodGet, tenantPath(tenant, "/hooks"), nil, &list); err != nil {
		return err
	}
	for _, hook := range list.Hooks {
		if hook.Name != listenName || listens(ctx, hook.URL) {
			continue
		}
		if err := c.deleteHook(ctx, tenant, hook.ID); err != nil {
			return err
		}
	}
	return nil
}

// listens reports whether a command listens at the URL.
func listens(ctx context.Context, receiver string) bool {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, receiver, nil)
	if err != nil {
		return false
	}
	response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
	if err != nil {
		return errors.Is(err, context.DeadlineExceeded) // the command may be suspended
	}
	response.Body.Close()
	return response.StatusCode == http.StatusNoContent
}

// forwarder prints deliveries and forwards them.
type forwarder struct {
	proxy *httputil.ReverseProxy // nil = deliveries are only printed

	mu       sync.Mutex
	out      io.Writer
	attempts map[string]int // by the id of the event
}

func newForwarder(to *url.URL, out io.Writer) *forwarder {
	f := &forwarder{out: terminalWriter{out}, attempts: map[string]int{}}
	if to == nil {
		return f
	}
	f.proxy = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			target := *to
			r.Out.URL, r.Out.Host = &target, target.Host
		},
		Transport: &http.Transport{DisableCompression: true}, // without a proxy
		ErrorLog:  log.New(io.Discard, "", 0),
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			w.(*statusWriter).failure = err
			http.Error(w, err.Error(), http.StatusBadGateway)
		},
	}
	return f
}

// statusWriter records the status of a response, and why there was none.
type statusWriter struct {
	http.ResponseWriter
	status  int
	failure error
}

// WriteHeader implements http.ResponseWriter.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// maxDelivery is the maximum size of a delivery in bytes. Those of the server are smaller.
const maxDelivery = 64 << 20

// ServeHTTP handles a delivery.
func (f *forwarder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	received := time.Now()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxDelivery))
	if err != nil { // the body is too large, or the server has given up
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	attempt := f.count(r.Header.Get("X-Request-Id"))
	response := &statusWriter{ResponseWriter: w, status: http.StatusOK}
	result := "not forwarded"
	if f.proxy != nil {
		f.proxy.ServeHTTP(response, r)
		result = fmt.Sprint(response.status)
		if response.failure != nil {
			result = "not forwarded: " + response.failure.Error()
		}
	}
	f.print(received, r.Header.Get("X-Emperor-Event"), body, attempt, result)
}

// count returns the number of deliveries of the event so far, with this one.
func (f *forwarder) count(eventID string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.attempts[eventID]++
	return f.attempts[eventID]
}

// print prints a delivery.
func (f *forwarder) print(received time.Time, event string, body []byte, attempt int, result string) {
	var content struct {
		Data struct {
			TxID string `json:"tx_id"`
		}
	}
	txID := "-"
	if json.Unmarshal(body, &content) == nil && content.Data.TxID != "" {
		txID = content.Data.TxID
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	fmt.Fprintln(f.out, strings.Join([]string{received.Format(time.TimeOnly), event, txID, fmt.Sprintf("attempt %d", attempt), result}, "  "))
}
