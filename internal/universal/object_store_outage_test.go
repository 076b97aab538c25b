package universal_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"

	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage"
)

// fullObjects is an object store that reads each file but is too full to store it.
type fullObjects struct{ storage.Backend }

func (fullObjects) Put(_ context.Context, _ string, r io.Reader) error {
	if _, err := io.Copy(io.Discard, r); err != nil {
		return err
	}
	return errors.New("no space left on device")
}

// TestObjectStoreOutage checks that uploads are refused for now while files cannot be
// stored, and that a fault of the body is reported all the same.
func TestObjectStoreOutage(t *testing.T) {
	servertest.Proves(t, "Chosen, bearer token and API key: object store away or full: 503 with Retry-After")
	s := servertest.New(t, func(o *servertest.Options) { o.Objects.Backend = fullObjects{o.Objects.Backend} })
	acme := s.Acme()
	txID, url := acme.Announce("a.txt")
	s.Unchanged(t, func() {
		for _, response := range []servertest.Response{
			s.Upload(url, "a.txt", servertest.Letter),
			acme.SubmitDirectly("v3", "a.txt", servertest.Letter),
			acme.SubmitDirectly("v4", "a.txt", servertest.Letter),
		} {
			response.Want(t, http.StatusServiceUnavailable, `{"message":"Service Unavailable"}`)
			if response.Header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
		}
		s.Upload(url, "a.txt", nil).Want(t, http.StatusBadRequest, fileRequired)
	})
	acme.Trigger(txID).Want(t, http.StatusConflict, `{"message":"File has not been uploaded"}`)
}
