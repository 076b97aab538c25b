package clients_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// junitJars are the parts of JUnit 5 and their dependencies, as Debian's package junit5 has them.
var junitJars = []string{
	"junit-jupiter-api", "junit-jupiter-engine", "junit-jupiter-params", "junit-platform-commons", "junit-platform-engine",
	"junit-platform-launcher", "junit-platform-console", "junit-platform-reporting", "opentest4j", "opentest4j-reporting-events",
	"opentest4j-reporting-schema", "apiguardian-api", "picocli", "univocity-parsers",
}

// compileJava compiles the client with further sources, and returns the path of the classes and of JUnit.
func compileJava(t *testing.T, sources ...string) (classPath string) {
	t.Helper()
	javac := look(t, "javac")
	classes := t.TempDir()
	paths := []string{classes}
	for _, name := range junitJars {
		path := filepath.Join("/usr/share/java", name+".jar")
		if _, err := os.Stat(path); err != nil {
			missing(t, "JUnit 5 is not installed: %v", err)
		}
		paths = append(paths, path)
	}
	classPath = strings.Join(paths, ":")
	run(t, ".", nil, append([]string{javac, "-Xlint:all,-path", "-Werror", "-encoding", "UTF-8", "-d", classes, "-cp", classPath, "java/Understudy.java"}, sources...)...)
	return classPath
}

// runJUnit runs the tests of a class, eight at once, and returns the output.
func runJUnit(t *testing.T, server, classPath, class string) string {
	t.Helper()
	const parallel = "junit.jupiter.execution.parallel."
	return run(t, ".", []string{"UNDERSTUDY_BIN=" + server}, look(t, "java"), "-Dfile.encoding=UTF-8", "-cp", classPath,
		"org.junit.platform.console.ConsoleLauncher", "--disable-banner", "--details=summary", "-c", class,
		"--config", parallel+"enabled=true", "--config", parallel+"config.strategy=fixed", "--config", parallel+"config.fixed.parallelism=8")
}

func TestJava(t *testing.T) {
	t.Parallel()
	classPath := compileJava(t, "java/test/UnderstudyTest.java")
	server, starts := countingBinary(t)
	checkContains(t, runJUnit(t, server, classPath, "understudy.UnderstudyTest"), "61 tests successful", "0 tests failed")
	if got := starts(); got != 1 {
		t.Errorf("got %d servers, want 1", got)
	}
}

// TestJavaReadme runs the test that the README shows.
func TestJavaReadme(t *testing.T) {
	if os.Getenv("SLOW_TESTS") == "" {
		t.Skip("make slow-tests runs this test")
	}
	t.Parallel()
	source := filepath.Join(t.TempDir(), "SubmissionTest.java")
	if err := os.WriteFile(source, []byte(codeBlocks(t, "java/README.md", "java")[0]), 0o600); err != nil {
		t.Fatal(err)
	}
	checkContains(t, runJUnit(t, binary(t), compileJava(t, source), "SubmissionTest"), "1 tests successful", "0 tests failed")
}

func TestJavaServerEnds(t *testing.T) {
	if os.Getenv("SLOW_TESTS") == "" {
		t.Skip("make slow-tests runs this test")
	}
	t.Parallel()
	source := filepath.Join(t.TempDir(), "Ends.java")
	const program = `
class Ends {
  public static void main(String[] arguments) throws java.io.IOException {
    System.out.println(understudy.Understudy.Sandbox.start().controlUrl);
    System.in.readAllBytes();
  }
}
`
	if err := os.WriteFile(source, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	checkServerEnds(t, ".", []string{"UNDERSTUDY_BIN=" + binary(t)}, look(t, "java"), "-cp", compileJava(t, source), "Ends")
}
