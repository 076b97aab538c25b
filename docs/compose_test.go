package docs_test

import (
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/schema"
	"go.yaml.in/yaml/v3"
)

// composeFile is what the tests need of a file for Docker Compose.
type composeFile struct {
	Services map[string]composeService `yaml:"services"`
	Secrets  map[string]struct {
		File string `yaml:"file"`
	} `yaml:"secrets"`
	Volumes map[string]any `yaml:"volumes"`
}

type composeService struct {
	Image       string            `yaml:"image"`
	Build       composeBuild      `yaml:"build"`
	EnvFile     string            `yaml:"env_file"`
	Environment map[string]string `yaml:"environment"`
	Secrets     []yaml.Node       `yaml:"secrets"`
	DependsOn   map[string]struct {
		Condition string `yaml:"condition"`
	} `yaml:"depends_on"`
	Ports       []string `yaml:"ports"`
	Volumes     []string `yaml:"volumes"`
	Command     []string `yaml:"command"`
	WorkingDir  string   `yaml:"working_dir"`
	ReadOnly    bool     `yaml:"read_only"`
	Tmpfs       []string `yaml:"tmpfs"`
	StopGrace   string   `yaml:"stop_grace_period"`
	Healthcheck struct {
		Test []string `yaml:"test"`
	} `yaml:"healthcheck"`
	Networks struct {
		Default struct {
			Address string `yaml:"ipv4_address"`
		} `yaml:"default"`
	} `yaml:"networks"`
}

// composeBuild says how an image is built: its context, or the context and the target.
type composeBuild struct{ Context, Target string }

// UnmarshalYAML accepts both forms.
func (b *composeBuild) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		return node.Decode(&b.Context)
	}
	type mapping composeBuild
	return node.Decode((*mapping)(b))
}

// readCompose reads a file for Docker Compose and validates it against the schema of
// the Compose Specification.
func readCompose(t *testing.T, path string) (compose composeFile) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(document); err != nil {
		t.Errorf("%s is not a Compose file: %v", path, err)
	}
	if err := yaml.Unmarshal(text, &compose); err != nil {
		t.Fatal(err)
	}
	return compose
}

// TestComposeFiles checks docker-compose*.yml: the services, secrets, volumes, ports and
// addresses of each fit together, its servers have only variables that exist, and they
// run with a read-only file system.
func TestComposeFiles(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../docker-compose*.yml")
	if err != nil || len(paths) != 3 {
		t.Fatalf("%v: the files are %v, want three", err, paths)
	}
	images := map[string]string{} // the target that each image is built from
	for _, path := range paths {
		compose := readCompose(t, path)
		used := map[string]bool{} // ports of the machine, and addresses
		for name, service := range compose.Services {
			name = filepath.Base(path) + ": " + name
			for other, dependency := range service.DependsOn {
				if !compose.Services[other].hasHealthcheck(t) || dependency.Condition != "service_healthy" {
					t.Errorf("%s depends on %s, which does not exist or has no health check", name, other)
				}
			}
			service.checkPorts(t, name, used)
			for _, volume := range service.Volumes {
				source, _, _ := strings.Cut(volume, ":")
				if _, named := compose.Volumes[source]; named {
					continue
				}
				if _, err := os.Stat(filepath.Join("..", source)); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			if service.Build.Context != "" {
				service.checkServer(t, name, images)
			}
		}
	}
}

// hasHealthcheck reports whether the service or the image that is built for it has a
// health check.
func (s composeService) hasHealthcheck(t *testing.T) bool {
	t.Helper()
	return len(s.Healthcheck.Test) > 0 || s.Build.Context != "" && len(findStage(t, s.Build.Target).all("HEALTHCHECK")) > 0
}

// checkPorts checks that no port and no address is used twice. The names of services
// are unique.
func (s composeService) checkPorts(t *testing.T, name string, used map[string]bool) {
	t.Helper()
	for _, port := range s.Ports {
		host, container := port[:strings.LastIndex(port, ":")], port[strings.LastIndex(port, ":")+1:]
		if used[host] {
			t.Errorf("%s: the port %s is used twice", name, host)
		}
		used[host] = true
		if s.Build.Context == "" {
			continue
		}
		if address, err := netip.ParseAddrPort(host); err != nil || !address.Addr().IsLoopback() {
			t.Errorf("%s: the port %s can be reached from other machines", name, port)
		}
		if exposed := strings.Fields(strings.Join(findStage(t, s.Build.Target).all("EXPOSE"), " ")); !slices.Contains(exposed, container) {
			t.Errorf("%s: the port %s is not among %v", name, container, exposed)
		}
	}
	if address := s.Networks.Default.Address; address != "" && used[address] {
		t.Errorf("%s: the address %s is used twice", name, address)
	} else {
		used[address] = true
	}
}

// checkServer checks a service whose image is built from the Dockerfile.
func (s composeService) checkServer(t *testing.T, name string, images map[string]string) {
	t.Helper()
	target := findStage(t, s.Build.Target).name
	if other, found := images[s.Image]; s.Image == "" || found && other != target {
		t.Errorf("%s: the image %q of the target %s is also one of the target %s", name, s.Image, target, other)
	}
	images[s.Image] = target
	if s.Build.Context != "." || !s.ReadOnly || !slices.Equal(s.Tmpfs, []string{"/tmp"}) {
		t.Errorf("%s: built in %q, read-only %t, tmpfs %v: want the root directory, and a read-only file system except /tmp", name, s.Build.Context, s.ReadOnly, s.Tmpfs)
	}
	if grace, err := time.ParseDuration(s.StopGrace); err != nil || grace <= 20*time.Second {
		t.Errorf("%s is killed after %q, and a stop takes up to 20 s", name, s.StopGrace)
	}
	checkServerVariables(t, s.Environment)
}

// TestComposeForTests checks that the tests in docker-compose.test.yml find the server by
// variables that docs/testing.md describes, and that it accepts calls under its name.
func TestComposeForTests(t *testing.T) {
	t.Parallel()
	compose := readCompose(t, "../docker-compose.test.yml")
	page, err := os.ReadFile("testing.md")
	if err != nil {
		t.Fatal(err)
	}
	tests, server := compose.Services["tests"], compose.Services["understudy"]
	for name, want := range map[string]string{"UNDERSTUDY_CONTROL_URL": "http://understudy:8081", "UNDERSTUDY_API_URL": "http://understudy:8080"} {
		if got := tests.Environment[name]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("testing.md does not describe %s", name)
		}
	}
	for path := range strings.FieldsSeq(tests.Environment["PYTHONPATH"] + " " + strings.Join(tests.Command, " ")) {
		file := strings.TrimPrefix(path, tests.WorkingDir+"/")
		if !strings.Contains(file, "/") {
			continue
		}
		if _, err := os.Stat(filepath.Join("..", file)); err != nil {
			t.Errorf("the tests need %s: %v", path, err)
		}
	}
	if got := server.Environment["CONTROL_HOSTS"]; got != "understudy" {
		t.Errorf("CONTROL_HOSTS is %q, want the name of the service", got)
	}
	if got := server.Environment["DATA_DIR"]; !strings.HasPrefix(got, server.Tmpfs[0]+"/") {
		t.Errorf("the data is in %q, want a directory in the tmpfs", got)
	}
}

// TestComposeForSharedDeployment checks the two servers of docker-compose.uat.yml: their
// environment names the secrets, and they trust the proxy.
func TestComposeForSharedDeployment(t *testing.T) {
	t.Parallel()
	compose := readCompose(t, "../docker-compose.uat.yml")
	servers := 0
	for name, service := range compose.Services {
		var files []string
		for _, node := range service.Secrets {
			secret := struct{ Source, Target string }{Source: node.Value}
			if node.Kind == yaml.MappingNode {
				if err := node.Decode(&secret); err != nil {
					t.Fatal(err)
				}
			}
			if got, want := compose.Secrets[secret.Source].File, "secrets/"+secret.Source; got != want {
				t.Errorf("%s: the file of the secret %s is %q, want %q", name, secret.Source, got, want)
			}
			files = append(files, strings.TrimPrefix(secret.Target, secretFiles))
		}
		if !service.hasHealthcheck(t) {
			t.Errorf("%s has no health check", name)
		}
		if service.EnvFile == "" {
			continue
		}
		servers++
		environment := environmentFile(t, service.EnvFile)
		slices.Sort(files)
		if wanted := checkEnvironment(t, environment); !slices.Equal(wanted, files) {
			t.Errorf("%s: the environment names the files %v, and the secrets are %v", name, wanted, files)
		}
		if got, want := environment["TRUSTED_PROXIES"], compose.Services["nginx"].Networks.Default.Address+"/32"; got != want {
			t.Errorf("TRUSTED_PROXIES is %s, and nginx has %s", got, want)
		}
	}
	if servers != 2 {
		t.Errorf("%d servers, want 2", servers)
	}
}

// environmentFile reads a file with lines name=value, as Docker Compose, systemd and
// shells do.
func environmentFile(t *testing.T, path string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", path))
	if err != nil {
		t.Fatal(err)
	}
	environment := map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, found := strings.Cut(line, "=")
		unquoted := strings.Trim(value, "'")
		if !found || value == unquoted && strings.ContainsAny(value, " &;$") {
			t.Errorf("%s: %q is not a variable for a shell", path, line)
		}
		environment[name] = unquoted
	}
	return environment
}
