package server_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

var restarts = flag.Int("restarts", 5, "how often TestRestartUnderLoad kills the server")

// TestRestartUnderLoad kills the server while clients write, starts the next one
// at once, and checks that nothing that was acknowledged is lost. It prints how
// long the starts take, from exec to the line that says ready.
func TestRestartUnderLoad(t *testing.T) {
	t.Parallel()
	dir := servertest.DataDir(t)
	p := servertest.Start(t, "--data-dir", dir)
	acme := p.Server().Acme()
	acme.Subscribe(servertest.NewReceiver(t).URL)
	acknowledged := 0
	var took []time.Duration
	for range *restarts {
		txIDs := writeUntilKilled(acme, p, 20+rand.IntN(300))
		started := time.Now()
		p = servertest.Start(t, "--data-dir", dir)
		took = append(took, time.Since(started))
		acme.Server = p.Server() // the token stays valid
		for _, txID := range txIDs {
			acme.Do("GET /universal/v4/universal-submit/status/"+txID, "").Want(t, http.StatusOK)
		}
		acknowledged += len(txIDs)
	}
	slices.Sort(took)
	t.Logf("%d starts after kill -9, %d acknowledged submissions, none lost: median %v, 95th percentile %v, maximum %v",
		len(took), acknowledged, took[len(took)/2], took[len(took)*95/100], took[len(took)-1])
}

// write returns the n-th call that creates a submission. Each fifth one contains a
// file, which is processed at once.
func write(acme servertest.Client, n int) servertest.Call {
	call := servertest.Call{
		Line:  "POST /universal/v4/universal-submit/file-upload-url",
		Token: acme.Token, Key: acme.Key, Body: fmt.Sprintf(`{"filename":"%d.txt"}`, n),
	}
	if n%5 == 0 {
		var contentType string
		contentType, call.Body = servertest.Form(acme.T, servertest.Part{Name: "file", Filename: fmt.Sprintf("%d.txt", n), Content: servertest.Letter})
		call.Line = "POST /universal/v4/universal-submit/file"
		call.Header = map[string]string{"Content-Type": contentType, "x-tenantId": "nobody"}
	}
	return call
}

// writeUntilKilled creates submissions from several clients at a time, kills the
// server when that many have been acknowledged, and returns their ids.
func writeUntilKilled(acme servertest.Client, p *servertest.Process, submissions int) (txIDs []string) {
	var clients sync.WaitGroup
	var mu sync.Mutex
	var sent atomic.Int64
	for range 8 {
		clients.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for {
				response, err := servertest.Try(client, acme.Request(write(acme, int(sent.Add(1)))))
				if err != nil {
					return // the server is dead
				}
				var announced struct {
					TxID string `json:"tx_id"`
				}
				if err := json.Unmarshal([]byte(response.Body), &announced); response.Status != http.StatusOK || err != nil {
					acme.T.Errorf("response %d %s", response.Status, response.Body)
					return
				}
				mu.Lock()
				txIDs = append(txIDs, announced.TxID)
				if len(txIDs) == submissions {
					p.Cmd.Process.Kill()
				}
				mu.Unlock()
			}
		})
	}
	clients.Wait()
	<-p.Exited
	return txIDs
}
