package clients_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestJavaScript(t *testing.T) {
	t.Parallel()
	t.Run("node", func(t *testing.T) {
		t.Parallel()
		node := look(t, "node")
		run(t, "js", []string{"UNDERSTUDY_BIN=" + binary(t)}, node, "--test", "--test-reporter=tap")
	})
	t.Run("exec", func(t *testing.T) {
		t.Parallel()
		out := run(t, "js", nil, binary(t), "exec", "--fail-on-findings", "--", look(t, "node"), "--test", "--test-reporter=tap", "test/fifty.test.mjs")
		checkContains(t, out, "# pass 50", "# fail 0", "No findings")
	})
	t.Run("typescript", func(t *testing.T) {
		t.Parallel()
		run(t, "js", nil, look(t, "tsc"), "--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom",
			"--module", "node16", "--moduleResolution", "node16", "typescript/usage.ts")
	})
	t.Run("ends", func(t *testing.T) {
		t.Parallel()
		const script = `
import { Sandbox } from "understudy";
console.log((await Sandbox.start()).controlUrl);
process.stdin.resume();
`
		checkServerEnds(t, "js", []string{"UNDERSTUDY_BIN=" + binary(t)}, look(t, "node"), "--input-type=module", "-e", script)
	})
}

// TestJavaScriptInstalled copies the files that package.json lists, as npm does, and runs a test that uses the package
// from there.
func TestJavaScriptInstalled(t *testing.T) {
	if os.Getenv("SLOW_TESTS") == "" {
		t.Skip("make slow-tests runs this test")
	}
	t.Parallel()
	node := look(t, "node")
	text, err := os.ReadFile("js/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var listed struct{ Files []string }
	if err := json.Unmarshal(text, &listed); err != nil {
		t.Fatal(err)
	}
	project := t.TempDir()
	for _, file := range append(listed.Files, "package.json") {
		from, to := filepath.Join("js", file), filepath.Join(project, "node_modules", "understudy", file)
		if info, err := os.Stat(from); err != nil {
			t.Fatal(err)
		} else if info.IsDir() {
			if err := os.CopyFS(to, os.DirFS(from)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		content, err := os.ReadFile(from)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o700)
		}
		if err == nil {
			err = os.WriteFile(to, content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	// The test that the README shows.
	code := codeBlocks(t, "js/README.md", "js")[0] + "await import('understudy/global-setup');\n"
	if err := os.WriteFile(filepath.Join(project, "readme.test.mjs"), []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	out := run(t, project, []string{"UNDERSTUDY_BIN=" + binary(t)}, node, "--test", "--test-reporter=tap", "readme.test.mjs")
	checkContains(t, out, "# pass 1", "# fail 0")
}
