package seed_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy.example/internal/seed"
	"understudy.example/internal/server/servertest"
)

// refusal returns the error of a seed, without the directory of its file.
func refusal(t *testing.T, s *servertest.Server, text string) string {
	t.Helper()
	dir := t.TempDir()
	f, err := seed.Parse(filepath.Join(dir, "seed.yaml"), []byte(text))
	if err == nil {
		err = s.App.ApplySeed(t.Context(), f)
	}
	var refused *seed.Error
	if !errors.As(err, &refused) {
		t.Fatalf("the error is %v", err)
	}
	return strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")
}

// TestInvalidSeed checks that an error names the line, the column and the path of its
// cause, and that then nothing changes.
func TestInvalidSeed(t *testing.T) {
	servertest.Proves(t, "Chosen, seeds: an invalid seed changes nothing, and the error names the line, column and path")
	s := servertest.New(t)
	const one = "version: 1\ntenants:\n  - tenant: initech\n    "
	s.Unchanged(t, func() {
		for _, c := range []struct{ text, want string }{
			{"", "seed.yaml: the file is empty"},
			{"# nothing\n", "seed.yaml: the file is empty"},
			{"hello", "seed.yaml:1:1: want an object with the keys version and tenants"},
			{"version: 1\ntenants: []\n---\nversion: 1\n", "seed.yaml:3:1: want one YAML document"},
			{"version: 1\ntenants: [", "seed.yaml:2: not valid YAML: did not find expected node content"},
			{"tenants: []", "seed.yaml:1:1: version: want 1"},
			{"version: 2\ntenants: []", "seed.yaml:1:10: version: want 1"},
			{"version: 1", "seed.yaml:1:1: tenants: want an array of at most 1000 objects"},
			{"version: 1\ntenants: []\nother: 1", "seed.yaml:3:8: other: unknown field"},
			{"version: 1\ntenants:\n  - tenant: A", "seed.yaml:3:13: tenants[0].tenant: want 1 to 63 lower-case letters, digits and hyphens, not starting with a hyphen"},
			{"version: 1\ntenants:\n  - settings: {}", "seed.yaml:3:5: tenants[0].tenant: want a string of 1 to 255 bytes"},
			{one + "\n  - tenant: initech", `seed.yaml:5:13: tenants[1].tenant: "initech" is listed twice`},
			{one + "colour: red", "seed.yaml:4:13: tenants[0].colour: unknown field"},
			{one + "tenant: again", "seed.yaml:4:5: tenants[0].tenant: the key is given twice"},
			{one + "settings:\n      webhooks: never", "seed.yaml:5:17: tenants[0].settings.webhooks: want send or collect"},
			{one + "settings: {pacing: {mode: polls, per_state: 0x10}}", "seed.yaml:4:49: tenants[0].settings.pacing.per_state: write it as a decimal number, or in quotes if it is a text"},
			{one + "packages: [{id: a-c0001, kin: company}]", "seed.yaml:4:35: tenants[0].packages[0].kin: unknown field"},
			{
				one + "outcomes:\n      - match: {filename: a}\n      - match: {filename: b}\n        status: Broken",
				"seed.yaml:7:17: tenants[0].outcomes[1].status: want Completed or Failed or Review_required",
			},
			{one + "outcomes:\n      - status: Failed", "seed.yaml:5:9: tenants[0].outcomes[0]: match is required"},
			{one + "outcomes:\n      - {match: {filename: a}, facts: {revenue: 1}}", "seed.yaml:5:49: tenants[0].outcomes[0].facts.revenue: unknown field"},
			{one + "faults: [{route: GET /hooks, status: 99}]", "seed.yaml:4:42: tenants[0].faults[0].status: want 200 to 599"},
			{one + "hooks: [{url: \"\"}]", "seed.yaml:4:19: tenants[0].hooks[0].url: can't be blank (send an absolute http or https URL)"},
			{one + "clients: [{client_id: a b}]", "seed.yaml:4:27: tenants[0].clients[0].client_id: want 1 to 100 letters, digits and . _ ~ @ -, beginning with a letter or digit"},
			{one + "clients: [{client_id: a}]", "seed.yaml:4:15: tenants[0].clients[0].client_secret: want the secret of the client, because the tenant does not have this client yet"},
			{one + "clients: [{client_id: acme-client, client_secret: s}]", `seed.yaml:4:27: tenants[0].clients[0].client_id: client "acme-client" already exists`},
			{one + "api_keys: [acme-api-key]", "seed.yaml:4:16: tenants[0].api_keys[0]: the API key already exists"},
			{one + "api_keys: [a, a]", "seed.yaml:4:19: tenants[0].api_keys[1]: the key is listed twice"},
			{one + "clock: {}", "seed.yaml:4:5: tenants[0].clock: want set, frozen or both"},
			{one + "clock: {set: tomorrow}", "seed.yaml:4:18: tenants[0].clock.set: want a time such as 2027-01-01T00:00:00Z"},
			{one + "clock: {advance: 1h}", "seed.yaml:4:22: tenants[0].clock.advance: unknown field"},
			{one + "documents: [{}]", "seed.yaml:4:17: tenants[0].documents[0]: want either file or text"},
			{one + "documents: [{text: a}]", "seed.yaml:4:17: tenants[0].documents[0].filename: want a string of 1 to 255 bytes"},
			{one + "documents: [{text: a, filename: b}, {text: c, filename: b}]", `seed.yaml:4:61: tenants[0].documents[1].filename: "b" is used twice`},
			{one + "documents: [{file: gone.pdf}]", "seed.yaml:4:24: tenants[0].documents[0].file: stat gone.pdf: no such file or directory"},
			{one + "documents: [{file: /dev/zero}]", "seed.yaml:4:24: tenants[0].documents[0].file: /dev/zero is not a regular file"},
		} {
			if got := refusal(t, s, c.text); got != c.want {
				t.Errorf("%s\ngot  %s\nwant %s", c.text, got, c.want)
			}
		}
	})
}

// TestHostileSeed checks that YAML which means something else than it shows, or expands to
// much more than its text, is refused.
func TestHostileSeed(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range 9 {
		fmt.Fprintf(&bomb, "a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	for _, c := range []struct{ text, want string }{
		{bomb.String(), "the file has more than 1000000 values"},
		{"a: &a " + strings.Repeat("x", 1<<20) + "\nb: [" + strings.Repeat("*a, ", 100) + "]", "larger than 16 MiB with those of its aliases"},
		{"a: &a [*a]", "nested more than 104 deep"},
		{"a: " + strings.Repeat("[", 500) + strings.Repeat("]", 500), "nested more than 104 deep"},
		{strings.Repeat("[", 100_000), "not valid YAML"},
		{"a: &a {b: 1}\nc: {<<: *a}", "c: want a text as the key"},
		{"1: a", "want a text as the key"},
		{"? [a]\n: b", "want a text as the key"},
		{"a: !!binary aGk=", "the tag !!binary is not allowed"},
		{"a: !go {}", "the tag !go is not allowed"},
		{"a: 02110", "write it as a decimal number, or in quotes if it is a text"},
		{"a: .inf", "write it as a decimal number"},
		{"a: 1_000", "write it as a decimal number"},
		{`a: "\0"`, "NUL"},
		{"a: \xff", "not valid YAML"},
		{"a: *b", "not valid YAML: unknown anchor 'b' referenced"},
		{strings.Repeat(" ", 9<<20), "larger than 8 MiB"},
	} {
		_, err := seed.Parse("seed.yaml", []byte(c.text))
		var refused *seed.Error
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40s: got %.200v, want %s", c.text, err, c.want)
		}
	}
}

// TestServerRefusesToStartWithAnInvalidSeed checks the last line of the output.
func TestServerRefusesToStartWithAnInvalidSeed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "seed.yaml")
	text := "version: 1\ntenants:\n  - tenant: initech\n    outcomes:\n      - match: {filename: a}\n        status: Broken\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	output := servertest.Refusal(t, "--data-dir", servertest.DataDir(t), "SEED="+path)
	want := path + ":6:17: tenants[0].outcomes[0].status: want Completed or Failed or Review_required"
	if !strings.HasSuffix(strings.TrimSpace(output), want) {
		t.Errorf("output %s\nwant %s", output, want)
	}
}
