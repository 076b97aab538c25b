package server_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// everyRow returns all rows of all tables.
func everyRow(t *testing.T, databaseURL string) string {
	conn, err := pgx.Connect(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	rows, _ := conn.Query(t.Context(), "select quote_ident(schemaname) || '.' || quote_ident(tablename) from pg_tables where schemaname not in ('pg_catalog', 'information_schema')")
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 8 {
		t.Fatalf("tables %s: %v", tables, err)
	}
	var all strings.Builder
	for _, table := range tables {
		rows, _ := conn.Query(t.Context(), "select to_jsonb(r)::text from "+table+" r")
		found, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range found {
			all.WriteString(table + " " + row + "\n")
		}
	}
	return all.String()
}

// addProcesses adds the arguments of the server, and arguments and environment of all
// processes that it has started. It needs /proc.
func addProcesses(t *testing.T, shown map[string]string, server int) {
	parents := map[int]int{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Logf("the process list is not searched: %v", err)
		return
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		stat, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "stat")) // the process may have ended
		_, rest, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 {
			parents[pid], _ = strconv.Atoi(fields[1])
		}
	}
	for pid := range parents {
		ancestor := pid
		for ancestor != server && ancestor > 1 {
			ancestor = parents[ancestor]
		}
		if ancestor != server {
			continue
		}
		arguments, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		shown[fmt.Sprintf("the arguments of process %d", pid)] = string(arguments)
		if pid != server { // the test passes secrets in its environment
			environment, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
			shown[fmt.Sprintf("the environment of process %d", pid)] = string(environment)
		}
	}
}

// addFiles adds the files of the data directory, except for the master key.
func addFiles(t *testing.T, shown map[string]string, dir string) {
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || entry.Name() == "master.key" {
			return err
		}
		content, err := os.ReadFile(path)
		shown["the file "+path] = path + string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// formIn returns the form in which the text contains the secret, with the surrounding
// text, or "" if the text does not contain it.
func formIn(text, secret string) string {
	forms := map[string]string{
		"in clear": secret, "percent-encoded": url.QueryEscape(secret), "percent-encoded as a path": url.PathEscape(secret),
		"in hexadecimal": hex.EncodeToString([]byte(secret)),
	}
	for offset := range 3 { // in base64, the first and the last characters depend on the surrounding bytes
		padded := strings.Repeat(" ", offset) + secret
		for name, encoding := range map[string]*base64.Encoding{"base64": base64.RawStdEncoding, "base64url": base64.RawURLEncoding} {
			encoded := encoding.EncodeToString([]byte(padded))
			forms[fmt.Sprintf("in %s at offset %d", name, offset)] = encoded[min(offset*2, 3) : len(encoded)-2]
		}
	}
	for name, form := range forms {
		if i := strings.Index(text, form); i >= 0 {
			return fmt.Sprintf("%s: %.300q", name, text[max(0, i-100):min(len(text), i+200)])
		}
	}
	return ""
}
