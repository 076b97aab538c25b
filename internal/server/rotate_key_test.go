package server_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/auth"
	"understudy.example/internal/server"
	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage/storagetest"
)

// rotation is a server and the configuration of the command that rotates its master key.
func rotation(t *testing.T) (s *servertest.Server, current, next []byte, config func(master []byte) *server.Config) {
	s = servertest.New(t)
	current, next = bytes.Repeat([]byte("k"), 32), bytes.Repeat([]byte("n"), 32)
	return s, current, next, func(master []byte) *server.Config {
		return &server.Config{
			DatabaseURL: s.DB.Config().ConnString(), Environment: storagetest.Environment, MasterKey: base64.StdEncoding.EncodeToString(master),
		}
	}
}

// replicaWithKey starts another server with the master key.
func replicaWithKey(s *servertest.Server, master []byte) *servertest.Server {
	s.T.Helper()
	keys, err := auth.LoadKeys(s.T.Context(), s.DB, storagetest.Environment, master, s.Now())
	if err != nil {
		s.T.Fatal(err)
	}
	options := s.App.Options
	options.Keys = keys
	return s.ReplicaWith(options)
}

// TestMasterKeyIsRotatedWhileServersRun rotates the master key while a server with the
// old key and one with the new key use the database.
func TestMasterKeyIsRotatedWhileServersRun(t *testing.T) {
	s, current, next, config := rotation(t)
	acme, receiver := s.Acme(), servertest.NewReceiver(t)
	acme.Subscribe(receiver.URL, `"secret":"before"`, `"header":"X-When: before"`)
	collecting := s.NewTenant(`{"webhooks":"collect"}`)
	collecting.Subscribe(receiver.URL, `"secret":"collected"`, `"header":"X-When: collected"`)
	collecting.Control("POST /events", `{"event":"hook:test"}`).Want(t, http.StatusOK)
	collected := collecting.Control("GET /deliveries", "").Want(t, http.StatusOK)

	done, err := config(current).RotateKey(t.Context(), base64.StdEncoding.EncodeToString(next))
	if err != nil || done.Resealed != 3 {
		t.Fatalf("%d rows were sealed again, %v, want 3", done.Resealed, err)
	}
	again, err := config(current).RotateKey(t.Context(), base64.StdEncoding.EncodeToString(next))
	if err != nil || again.Resealed != 0 {
		t.Errorf("repeated: %d rows were sealed again, %v, want none", again.Resealed, err)
	}
	if _, err := config(current).RotateKey(t.Context(), base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("x"), 32))); err == nil {
		t.Error("a third master key was accepted")
	}

	other := replicaWithKey(s, next)
	there := other.Acme()
	there.Subscribe(receiver.URL, `"secret":"at the new server"`, `"header":"X-When: after"`)
	acme.Subscribe(receiver.URL, `"secret":"at the old server"`, `"header":"X-When: after"`)
	for _, client := range []servertest.Client{acme, there} {
		list := client.Do("GET /hooks", "").Want(t, http.StatusOK).Body
		if strings.Count(list, "X-When: ") != 3 {
			t.Errorf("not all headers can be read: %s", list)
		}
	}
	if got := collecting.Control("GET /deliveries", "").Want(t, http.StatusOK); got.Body != collected.Body {
		t.Errorf("the collected delivery changed:\n%s\nwant\n%s", got.Body, collected.Body)
	}
	s.RunDispatcher()
	s.Publish("acme", "a:b")
	servertest.Until(t, "all subscriptions have received the event", func() bool { return len(receiver.Received()) == 3 })
	for _, secret := range []string{"before", "at the new server", "at the old server"} {
		signed := 0
		for _, received := range receiver.Received() {
			if received.Verify(secret) {
				signed++
			}
		}
		if signed != 1 {
			t.Errorf("%d deliveries are signed with the secret %q, want 1", signed, secret)
		}
	}
}

// TestFinishedRotationRetiresTheOldKey checks that only the new master key is valid after
// the rotation, and that the keys that the old one protected open nothing.
func TestFinishedRotationRetiresTheOldKey(t *testing.T) {
	s, current, next, config := rotation(t)
	acme := s.Acme()
	acme.Subscribe("http://127.0.0.1:1/", `"secret":"s3cret"`, `"header":"X-When: before"`)
	oldKeys := s.Keys.Sealing.Known()
	if _, err := config(current).RotateKey(t.Context(), base64.StdEncoding.EncodeToString(next)); err != nil {
		t.Fatal(err)
	}
	done, err := config(next).FinishRotation(t.Context())
	if err != nil || done.Retired != 1 {
		t.Fatalf("%d keys were retired, %v, want 1", done.Retired, err)
	}
	if _, err := auth.LoadKeys(t.Context(), s.DB, storagetest.Environment, current, s.Now()); !errors.Is(err, auth.ErrMasterKey) {
		t.Errorf("the old key loads: %v", err)
	}
	other := replicaWithKey(s, next)
	if list := other.Acme().Do("GET /hooks", "").Want(t, http.StatusOK).Body; !strings.Contains(list, "X-When: before") {
		t.Errorf("the header cannot be read: %s", list)
	}
	newKeys := other.App.Keys.Sealing.Known()
	if len(newKeys) != 1 || bytes.Equal(newKeys[0], oldKeys[0]) {
		t.Errorf("%d sealing keys, want only a new one", len(newKeys))
	}
	again, err := config(next).FinishRotation(t.Context())
	if err != nil || again != (server.Rotation{}) {
		t.Errorf("repeated: %+v, %v, want no change", again, err)
	}
}

// TestRotationIsNotFinishedWithTheOldKey checks that the old master key cannot make the
// new one invalid, except by cancelling the rotation.
func TestRotationIsNotFinishedWithTheOldKey(t *testing.T) {
	s, current, next, config := rotation(t)
	s.Acme().Subscribe("http://127.0.0.1:1/", `"secret":"s3cret"`)
	encoded := base64.StdEncoding.EncodeToString
	rotate := func(from, to []byte) {
		t.Helper()
		if _, err := config(from).RotateKey(t.Context(), encoded(to)); err != nil {
			t.Fatal(err)
		}
	}
	valid := func(master []byte) bool {
		_, err := auth.LoadKeys(t.Context(), s.DB, storagetest.Environment, master, s.Now())
		if err != nil && !errors.Is(err, auth.ErrMasterKey) {
			t.Fatal(err)
		}
		return err == nil
	}
	cancelled := func(master []byte) bool {
		_, err := config(master).CancelRotation(t.Context())
		return err == nil
	}
	if cancelled(current) {
		t.Error("a rotation was cancelled that had not begun")
	}
	rotate(current, next)
	if _, err := config(current).FinishRotation(t.Context()); !errors.Is(err, auth.ErrOldMasterKey) {
		t.Errorf("finished with the old key: %v, want %v", err, auth.ErrOldMasterKey)
	}
	if cancelled(next) {
		t.Error("a rotation was cancelled with the new key")
	}
	if !valid(current) || !valid(next) {
		t.Error("a refused command made a key invalid")
	}
	if !cancelled(current) || !valid(current) || valid(next) {
		t.Error("the rotation was not cancelled")
	}
	rotate(current, next)
	if _, err := config(next).FinishRotation(t.Context()); err != nil || valid(current) {
		t.Fatalf("not finished with the new key: %v", err)
	}
	// The key that was the new one is the old one of the next rotation.
	rotate(next, current)
	if _, err := config(next).FinishRotation(t.Context()); !errors.Is(err, auth.ErrOldMasterKey) {
		t.Errorf("finished with the old key: %v, want %v", err, auth.ErrOldMasterKey)
	}
	if done, err := config(current).FinishRotation(t.Context()); err != nil || done.Retired != 1 {
		t.Errorf("finished with the new key: %+v, %v", done, err)
	}
}

// TestInterruptedRotationIsResumed checks that a rotation that ended after the new key
// was added, or a server that sealed with the old key, leaves nothing behind.
func TestInterruptedRotationIsResumed(t *testing.T) {
	s, current, next, config := rotation(t)
	s.Acme().Subscribe("http://127.0.0.1:1/", `"secret":"s3cret"`)
	if err := auth.AddMasterKey(t.Context(), s.DB, storagetest.Environment, current, next, s.Now()); err != nil {
		t.Fatal(err)
	}
	done, err := config(next).FinishRotation(t.Context())
	if err != nil || done != (server.Rotation{Resealed: 1, Retired: 1}) {
		t.Errorf("%+v, %v, want one row sealed again and one key retired", done, err)
	}
}

// TestRotationRefusals checks the errors of both steps.
func TestRotationRefusals(t *testing.T) {
	_, current, next, config := rotation(t)
	encoded := base64.StdEncoding.EncodeToString
	elsewhere := config(current)
	elsewhere.Environment = "elsewhere"
	for want, err := range map[string]error{
		"new master key: MASTER_KEY: want 32 bytes":                   second(config(current).RotateKey(t.Context(), "abc")),
		"the new master key is the same as the current one":           second(config(current).RotateKey(t.Context(), encoded(current))),
		auth.ErrMasterKey.Error():                                     second(config(next).RotateKey(t.Context(), encoded(current))),
		"only the master key of a configured database can be rotated": second((&server.Config{}).FinishRotation(t.Context())),
		`the database has no environment "elsewhere", or no server`:   second(elsewhere.RotateKey(t.Context(), encoded(next))),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func second[T any](_ T, err error) error { return err }
