package server_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"understudy.example/internal/server"
	"understudy.example/internal/server/servertest"
)

// TestFlagsHaveVariablesAndDefaults checks the environment variable and the default of
// each flag. The name of a flag follows from that of its field.
func TestFlagsHaveVariablesAndDefaults(t *testing.T) {
	servertest.Proves(t,
		"Chosen, process: each flag has a variable and a default",
		"Chosen, universal submit: uploads of 100 MB are accepted by default")
	t.Parallel()
	config := reflect.TypeFor[server.Config]()
	for name, want := range map[string]string{
		"Listen": "LISTEN_ADDR=127.0.0.1:8080", "Control": "CONTROL_ADDR=127.0.0.1:8081", "DatabaseURL": "DATABASE_URL=", "DataDir": "DATA_DIR=.data",
		"ObjectsURL": "OBJECTS_URL=", "Environment": "ENVIRONMENT=sandbox", "Profile": "PROFILE=local", "PublicURL": "PUBLIC_URL=", "TrustedProxies": "TRUSTED_PROXIES=",
		"ControlToken": "CONTROL_TOKEN=", "MasterKey": "MASTER_KEY=", "MaxUploadBytes": "MAX_UPLOAD_BYTES=104857600", "Hints": "HINTS=on",
		"DatabaseURLFile": "DATABASE_URL_FILE=", "ControlTokenFile": "CONTROL_TOKEN_FILE=", "MasterKeyFile": "MASTER_KEY_FILE=",
	} {
		field, ok := config.FieldByName(name)
		if got := field.Tag.Get("env") + "=" + field.Tag.Get("default"); !ok || got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for field := range config.Fields() {
		if !field.Anonymous && field.Tag.Get("env") == "" {
			t.Errorf("%s has no environment variable", field.Name)
		}
	}
}

// TestDefaultDataDirectory checks a server without flags, apart from its addresses: what
// it keeps is in .data of the working directory.
func TestDefaultDataDirectory(t *testing.T) {
	servertest.Proves(t,
		"Chosen, process: an empty control address turns the control listener off",
		"Chosen, process: without a database URL, PostgreSQL runs in the data directory",
		"Chosen, process: the data directory is .data",
		"Chosen, process: files are in objects/ of the data directory",
		"Chosen, process: without a master key, local makes one in the data directory")
	t.Parallel()
	dir := servertest.DataDir(t)
	cmd := servertest.Command(t, "LISTEN_ADDR=127.0.0.1:0", "CONTROL_ADDR=")
	cmd.Dir = dir
	p := servertest.NewProcess(t, cmd)
	t.Cleanup(func() {
		p.Cmd.Process.Signal(syscall.SIGTERM)
		<-p.Exited
	})
	if !p.AwaitReady() {
		t.Fatalf("it exited before it was ready: %s", p.Output)
	}
	if p.ControlURL != "" {
		t.Errorf("control listener at %s, want none", p.ControlURL)
	}
	acme := p.Server().Acme()
	txID := acme.SubmitFile("a.txt", servertest.Letter)
	files, err := filepath.Glob(filepath.Join(dir, ".data", "objects", "acme", txID+"-*"))
	if err != nil || len(files) != 1 {
		t.Errorf("files %v, %v, want one", files, err)
	}
	clusters, err := filepath.Glob(filepath.Join(dir, ".data", "*", "PG_VERSION"))
	if err != nil || len(clusters) != 1 {
		t.Errorf("PostgreSQL in %v, %v, want one in the data directory", clusters, err)
	}
	key, err := os.ReadFile(filepath.Join(dir, ".data", "master.key"))
	if err != nil || len(strings.TrimSpace(string(key))) != len(masterKey) {
		t.Errorf("master key of %d bytes, %v", len(key), err)
	}
	if found := entries(t, dir); len(found) != 1 {
		t.Errorf("in the working directory: %v, want .data alone", found)
	}
}
