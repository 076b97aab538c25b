package snippet

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// nasty is a text that breaks a careless code generator.
const nasty = "'; rm -rf / #\" + \\ $(id) `id` ${x} {{.}} </script>\u2028\n\r\t\x00é😀 */ \"\"\" %s"

// callsToRepeat are calls of the journal in the form of the control API.
func callsToRepeat(t *testing.T) map[string]Call {
	calls := map[string]any{
		"plain": map[string]any{"method": "GET", "path": "/hooks", "status": 200, "request": map[string]any{"headers": map[string]any{}}},
		"secrets": map[string]any{"method": "POST", "path": "/auth/token?client_secret=***", "status": 400, "request": map[string]any{
			"headers": map[string]any{"Authorization": []string{"Basic ***"}, "X-Api-Key": []string{"***"}, "Host": []string{"a"}, "User-Agent": []string{"b"}},
			"body":    "client_id=acme-client&client_secret=***", "truncated": true,
		}},
		"nasty": map[string]any{"method": "PO'ST", "path": "/" + nasty, "status": nil, "request": map[string]any{
			"headers": map[string]any{"X-Nasty": []string{nasty, "***" + nasty}}, "body": nasty + "***" + nasty,
		}},
		"upload": map[string]any{"method": "PUT", "path": "/file-transfer/upload-file?data=***", "status": 200, "request": map[string]any{
			"headers": map[string]any{"Content-Type": []string{"multipart/form-data; boundary=x"}}, "body": "",
			"parts": []any{
				map[string]any{"name": "file", "filename": "letter.txt", "content_type": "text/plain"},
				map[string]any{"name": nasty, "filename": "../" + nasty, "content_type": nasty},
				map[string]any{"name": "plain"},
			},
		}},
	}
	read := map[string]Call{}
	for name, call := range calls {
		text, err := json.Marshal(call)
		if err != nil {
			t.Fatal(err)
		}
		if read[name], err = New(text, "http://127.0.0.1:8080"); err != nil {
			t.Fatal(err)
		}
	}
	return read
}

// TestCopiesCompile checks that each call that is copied as a test is a valid program,
// whatever its client has sent.
func TestCopiesCompile(t *testing.T) {
	t.Parallel()
	for _, language := range []struct {
		name, file string
		write      func(Call) (string, error)
		check      []string
	}{
		{"Go", "call_test.go", GoTest, []string{"go", "vet", "./..."}},
		{"Python", "call_test.py", PythonTest, []string{"python3", "-m", "py_compile", "call_test.py"}},
		{"JavaScript", "call.test.mjs", JavaScriptTest, []string{"node", "--check", "call.test.mjs"}},
		{"curl", "call.sh", func(r Call) (string, error) { return r.Curl() + "\n", nil }, []string{"sh", "-n", "call.sh"}},
	} {
		t.Run(language.name, func(t *testing.T) {
			t.Parallel()
			program, err := exec.LookPath(language.check[0])
			if err != nil {
				t.Skipf("install %s to run this test", language.check[0])
			}
			for name, call := range callsToRepeat(t) {
				directory := t.TempDir()
				text, err := language.write(call)
				if err != nil {
					t.Fatal(err)
				}
				for file, content := range map[string]string{language.file: text, "go.mod": "module client\n\ngo 1.24\n"} {
					if err := os.WriteFile(filepath.Join(directory, file), []byte(content), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				command := exec.Command(program, language.check[1:]...)
				command.Dir = directory
				command.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod", "GOWORK=off")
				if out, err := command.CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s\n%s", name, err, out, text)
				}
			}
		})
	}
}

// TestCurlReadsOnlyNamedFiles checks that curl reads no file but the one that has the name
// of the uploaded file, whatever the names and types of the parts are.
func TestCurlReadsOnlyNamedFiles(t *testing.T) {
	t.Parallel()
	const secret = "=@/etc/passwd;type=text/plain;filename=z;a"
	call := Call{Method: "PUT", URL: phrase{{text: "http://127.0.0.1:8080/"}}, Parts: []part{
		{Name: "file", Filename: "a/letter.txt", ContentType: "text/plain;headers=@/etc/passwd"},
		{Name: "file", Filename: "a/.env", ContentType: "text/plain"},
		{Name: "x" + secret},
		{Name: "x" + secret, Filename: "letter.txt"},
		{Name: "plain"},
	}}
	want := `curl -sS --globoff -X PUT http://127.0.0.1:8080/ \
  -F 'file=@"letter.txt"' \
  -F 'file=@"env";type=text/plain' \
  --form-string plain=
# Left out: 2 parts with names that curl cannot send.`
	if got := call.Curl(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestCurlRepeatsCall checks that the command for a call sends exactly what its client
// sent, with the secrets from the environment.
func TestCurlRepeatsCall(t *testing.T) {
	t.Parallel()
	call := callsToRepeat(t)["secrets"]
	want := []string{
		"curl", "-sS", "--globoff", "-X", "POST", "http://127.0.0.1:8080/auth/token?client_secret=SECRET",
		"-H", "Authorization: Basic SECRET", "-H", "X-Api-Key: SECRET", "--data-raw", "client_id=acme-client&client_secret=SECRET",
	}
	command := exec.Command("sh", "-c", "curl() { printf '%s\\n' curl \"$@\"; }\n"+call.Curl())
	for _, name := range call.Variables() {
		command.Env = append(command.Env, name+"=SECRET")
	}
	out, err := command.Output()
	if got := strings.TrimSpace(string(out)); err != nil || got != strings.Join(want, "\n") {
		t.Errorf("%v\n%s\nwant\n%s", err, got, strings.Join(want, "\n"))
	}
	hostile := callsToRepeat(t)["nasty"].Curl()
	out, err = exec.Command("bash", "-c", "curl() { printf '%s' \"$@\"; }\n"+hostile).Output()
	if clean := strings.ReplaceAll(nasty, "\x00", ""); err != nil || strings.Count(string(out), clean) != 5 {
		t.Errorf("%v, the client's text is changed: %q", err, out)
	}
}

// TestQuotedWordDoesNotControlTheTerminal checks that a word contains no characters on which a terminal acts when
// it is pasted, and that the shell still reads the text from it.
func TestQuotedWordDoesNotControlTheTerminal(t *testing.T) {
	t.Parallel()
	text := "it's \x03\ntouch /tmp/pwned\r\x1b[201~\x15 \\ \u009b \u202e \x9b \ufffd ü\t"
	word := ShellQuote(text)
	for _, r := range word {
		if controlsTerminal(r) {
			t.Errorf("the word %q contains %q", word, r)
		}
	}
	out, err := exec.Command("bash", "-c", "LC_ALL=C; printf '%s' "+word).Output()
	if err != nil || string(out) != text {
		t.Errorf("%v: bash reads %q as %q", err, word, out)
	}
	out, err = exec.Command("sh", "-c", "printf '%s' "+word+" | wc -l").Output()
	if err != nil || strings.TrimSpace(string(out)) != "1" {
		t.Errorf("%v: sh runs a part of %q: %q", err, word, out)
	}
}
