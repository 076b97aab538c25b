package docs_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// junitJars are the parts of JUnit 5 and their dependencies, as Debian's package junit5 has them.
var junitJars = []string{
	"junit-jupiter-api", "junit-jupiter-engine", "junit-jupiter-params", "junit-platform-commons", "junit-platform-engine",
	"junit-platform-launcher", "junit-platform-console", "junit-platform-reporting", "opentest4j", "opentest4j-reporting-events",
	"opentest4j-reporting-schema", "apiguardian-api", "picocli", "univocity-parsers",
}

// programs returns a PATH with the programs that the scripts of a language need, or skips the test. These are replaced:
// apt-get and docker do nothing, mvn compiles and runs the tests without a network, and Python is a virtual environment.
func programs(t *testing.T, language string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"apt-get", "docker"} {
		write(t, filepath.Join(dir, name), "#!/bin/sh\n", 0o755)
	}
	switch language {
	case "python":
		prepareVirtualEnvironment(t, dir)
	case "javascript":
		need(t, "node")
		need(t, "npm")
	case "java":
		need(t, "javac")
		write(t, filepath.Join(dir, "mvn"), fakeMaven(t), 0o755)
	}
	return "PATH=" + dir + ":" + os.Getenv("PATH")
}

// linuxOnly skips the test on other systems, and without curl.
func linuxOnly(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the recipes are for Linux")
	}
	need(t, "curl")
}

// need skips the test if a program is not installed.
func need(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		missing(t, program+" is not installed")
	}
}

// missing skips the test, or fails it if REQUIRE_CLIENTS is set.
func missing(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("REQUIRE_CLIENTS") != "" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// prepareVirtualEnvironment puts a python and a python3 with pip and pytest into a directory. Virtual environments that
// they create have no pip, which would take seconds.
func prepareVirtualEnvironment(t *testing.T, dir string) {
	t.Helper()
	environment := filepath.Join(t.TempDir(), "venv")
	for _, program := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(program, "-c", "import pip, pytest, venv").Run() != nil {
			continue
		}
		if out, err := exec.CommandContext(t.Context(), program, "-m", "venv", "--system-site-packages", "--without-pip", environment).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		python := filepath.Join(environment, "bin", "python")
		write(t, filepath.Join(dir, "python"), fmt.Sprintf("#!/bin/sh\nexec %q \"$@\"\n", python), 0o755)
		write(t, filepath.Join(dir, "python3"), fmt.Sprintf("#!/bin/sh\n[ \"$1 $2\" = '-m venv' ] && set -- \"$@\" --without-pip\nexec %q \"$@\"\n", python), 0o755)
		return
	}
	missing(t, "there is no python3 with pip, pytest and venv")
}

// fakeMaven returns a program that does what `mvn --batch-mode verify` does with the project of the test. Maven itself
// would download its plugins.
func fakeMaven(t *testing.T) string {
	t.Helper()
	var jars []string
	for _, name := range junitJars {
		path := filepath.Join("/usr/share/java", name+".jar")
		if _, err := os.Stat(path); err != nil {
			missing(t, "JUnit 5 is not installed: "+err.Error())
		}
		jars = append(jars, path)
	}
	return `#!/bin/bash -e
[[ "$*" == "--batch-mode verify" ]]
classes=target/test-classes:` + strings.Join(jars, ":") + `
javac -encoding UTF-8 -d target/test-classes -cp "$classes" $(find src -name '*.java')
exec java -cp "$classes" org.junit.platform.console.ConsoleLauncher --disable-banner --details=summary --scan-classpath target/test-classes
`
}
