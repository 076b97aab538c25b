package docs_test

import (
	"bytes"
	"errors"
	"io"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"understudy.example/internal/certificate/certificatetest"
	"understudy.example/internal/server"
)

// secretFiles is the directory of the secrets in all deployments.
const secretFiles = "/etc/understudy/"

// checkEnvironment checks that each variable is one of the server, or of the AWS SDKs,
// and returns the names of the files in secretFiles that the values name.
func checkEnvironment(t *testing.T, environment map[string]string) (files []string) {
	t.Helper()
	known := map[string]bool{"AWS_SHARED_CREDENTIALS_FILE": true}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[server.Config]()) {
		known[field.Tag.Get("env")] = true
	}
	for name, value := range environment {
		if !known[name] {
			t.Errorf("the server has no variable %s", name)
		}
		if file, found := strings.CutPrefix(value, secretFiles); found {
			files = append(files, file)
		}
	}
	for _, name := range []string{"PROFILE", "ENVIRONMENT", "PUBLIC_URL", "TRUSTED_PROXIES", "DATABASE_URL_FILE", "MASTER_KEY_FILE", "CONTROL_TOKEN_FILE", "OBJECTS_URL"} {
		if environment[name] == "" {
			t.Errorf("%s is not set", name)
		}
	}
	if _, err := netip.ParsePrefix(environment["TRUSTED_PROXIES"]); err != nil {
		t.Errorf("TRUSTED_PROXIES: %v", err)
	}
	if u, err := url.Parse(environment["OBJECTS_URL"]); err != nil || u.Scheme != "s3" {
		t.Errorf("OBJECTS_URL is %s: %v", environment["OBJECTS_URL"], err)
	}
	slices.Sort(files)
	return files
}

// composeFile is what the test needs of a file for Docker Compose.
type composeFile struct {
	Services map[string]struct {
		EnvFile     string            `yaml:"env_file"`
		Environment map[string]string `yaml:"environment"`
		Secrets     []yaml.Node       `yaml:"secrets"`
		DependsOn   map[string]struct {
			Condition string `yaml:"condition"`
		} `yaml:"depends_on"`
		Ports       []string `yaml:"ports"`
		Volumes     []string `yaml:"volumes"`
		Healthcheck struct {
			Test []string `yaml:"test"`
		} `yaml:"healthcheck"`
		Networks struct {
			Default struct {
				Address string `yaml:"ipv4_address"`
			} `yaml:"default"`
		} `yaml:"networks"`
	} `yaml:"services"`
	Secrets map[string]struct {
		File string `yaml:"file"`
	} `yaml:"secrets"`
	Volumes map[string]any `yaml:"volumes"`
}

// TestComposeFile checks docker-compose.uat.yml: its services, secrets, volumes, ports
// and addresses fit together, and its servers have only variables that exist.
func TestComposeFile(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docker-compose.uat.yml")
	if err != nil {
		t.Fatal(err)
	}
	var compose composeFile
	if err := yaml.Unmarshal(text, &compose); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{} // ports of the machine, and addresses
	servers := 0
	for name, service := range compose.Services {
		if len(service.Healthcheck.Test) == 0 {
			t.Errorf("%s has no health check", name)
		}
		for other, dependency := range service.DependsOn {
			if len(compose.Services[other].Healthcheck.Test) == 0 || dependency.Condition != "service_healthy" {
				t.Errorf("%s depends on %s, which does not exist or has no health check", name, other)
			}
		}
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
		for _, port := range service.Ports {
			host := port[:strings.LastIndex(port, ":")]
			if used[host] {
				t.Errorf("%s: the port %s is used twice", name, host)
			}
			used[host] = true
		}
		if address := service.Networks.Default.Address; address != "" && used[address] {
			t.Errorf("%s: the address %s is used twice", name, address)
		} else {
			used[address] = true
		}
		for _, volume := range service.Volumes {
			source, _, _ := strings.Cut(volume, ":")
			if _, named := compose.Volumes[source]; named {
				continue
			}
			if _, err := os.Stat(filepath.Join("..", source)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
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

// TestKubernetesManifest checks deploy/kubernetes.yaml: its objects refer to each other,
// its variables exist, and its times fit to those of the server.
func TestKubernetesManifest(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../deploy/kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var configuration map[string]string
	var deployment deploymentSpec
	selectors := map[string]string{} // by kind and name
	documents := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var object struct {
			Kind     string
			Metadata struct{ Name string }
			Data     map[string]string
			Spec     yaml.Node
		}
		if err := documents.Decode(&object); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		switch object.Kind {
		case "ConfigMap":
			configuration = object.Data
		case "Deployment":
			err = object.Spec.Decode(&deployment)
		case "Service":
			var spec struct{ Selector map[string]string }
			err = object.Spec.Decode(&spec)
			selectors[object.Kind+" "+object.Metadata.Name] = spec.Selector["app"]
		case "PodDisruptionBudget":
			var spec struct {
				MinAvailable int `yaml:"minAvailable"`
				Selector     struct {
					MatchLabels map[string]string `yaml:"matchLabels"`
				}
			}
			err = object.Spec.Decode(&spec)
			selectors[object.Kind] = spec.Selector.MatchLabels["app"]
			if spec.MinAvailable < 1 {
				t.Error("the PodDisruptionBudget allows that no server runs")
			}
		default:
			t.Errorf("unexpected kind %q", object.Kind)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(selectors) != 3 {
		t.Errorf("%d Services and PodDisruptionBudgets, want 3", len(selectors))
	}
	label := deployment.Template.Metadata.Labels["app"]
	for object, selected := range selectors {
		if selected != label || label == "" {
			t.Errorf("%s selects %q, and the pods are %q", object, selected, label)
		}
	}
	deployment.check(t, configuration)
}

// deploymentSpec is what the test needs of a Deployment.
type deploymentSpec struct {
	Replicas int
	Strategy struct {
		RollingUpdate struct {
			MaxUnavailable int `yaml:"maxUnavailable"`
		} `yaml:"rollingUpdate"`
	}
	Template struct {
		Metadata struct{ Labels map[string]string }
		Spec     struct {
			GracePeriod int `yaml:"terminationGracePeriodSeconds"`
			Containers  []struct {
				Ports          []struct{ Name string }
				StartupProbe   probe `yaml:"startupProbe"`
				ReadinessProbe probe `yaml:"readinessProbe"`
				LivenessProbe  probe `yaml:"livenessProbe"`
			}
			Volumes []struct {
				Secret struct {
					Items []struct{ Key, Path string }
				}
			}
		}
	}
}

type probe struct {
	HTTPGet        struct{ Path, Port string } `yaml:"httpGet"`
	TimeoutSeconds int                         `yaml:"timeoutSeconds"`
}

func (d *deploymentSpec) check(t *testing.T, configuration map[string]string) {
	t.Helper()
	pod := d.Template.Spec
	if d.Replicas < 2 || d.Strategy.RollingUpdate.MaxUnavailable != 0 {
		t.Errorf("%d servers, of which a rolling update stops %d: calls would fail", d.Replicas, d.Strategy.RollingUpdate.MaxUnavailable)
	}
	if pod.GracePeriod <= 20 {
		t.Errorf("servers are killed after %d s, and a stop takes up to 20 s", pod.GracePeriod)
	}
	if len(pod.Containers) != 1 {
		t.Fatalf("%d containers, want 1", len(pod.Containers))
	}
	container := pod.Containers[0]
	for path, probes := range map[string][]probe{"/readyz": {container.StartupProbe, container.ReadinessProbe}, "/livez": {container.LivenessProbe}} {
		for _, p := range probes {
			named := slices.ContainsFunc(container.Ports, func(port struct{ Name string }) bool { return port.Name == p.HTTPGet.Port })
			if p.HTTPGet.Path != path || !named || p.TimeoutSeconds < 3 {
				t.Errorf("a probe calls %s of the port %q within %d s: want %s of a port of the container within 3 s or more",
					p.HTTPGet.Path, p.HTTPGet.Port, p.TimeoutSeconds, path)
			}
		}
	}
	var files []string
	for _, volume := range pod.Volumes {
		for _, item := range volume.Secret.Items {
			files = append(files, item.Path)
		}
	}
	slices.Sort(files)
	if wanted := checkEnvironment(t, configuration); !slices.Equal(wanted, files) {
		t.Errorf("the ConfigMap names the files %v, and the secrets are %v", wanted, files)
	}
}

// TestNginxConfiguration lets nginx check deploy/nginx.conf. The names of the servers are
// replaced, because nginx looks them up, and the paths of files.
func TestNginxConfiguration(t *testing.T) {
	t.Parallel()
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		if nginx = "/usr/sbin/nginx"; !executable(nginx) {
			t.Skip("nginx is missing: apt-get install nginx")
		}
	}
	text, err := os.ReadFile("../deploy/nginx.conf")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certificate, key := certificatetest.NewAuthority(t).Files(t, time.Hour, "understudy.example.com")
	configuration := strings.NewReplacer(secretFiles+"tls.crt", certificate, secretFiles+"tls.key", key, "/var/log/nginx", dir).Replace(string(text))
	configuration = regexp.MustCompile(`server-[12]:`).ReplaceAllString(configuration, "127.0.0.1:")
	configuration = "pid " + dir + "/nginx.pid;\n" + configuration
	path := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(path, []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), nginx, "-t", "-e", "stderr", "-p", dir, "-c", path).CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&0o111 != 0
}
