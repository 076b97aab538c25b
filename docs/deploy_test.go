package docs_test

import (
	"bytes"
	"errors"
	"io"
	"net/netip"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"understudy.example/internal/server"
)

// secretFiles is the directory of the secrets in all deployments.
const secretFiles = "/etc/understudy/"

// checkServerVariables checks that each variable is one of the server, or of the AWS SDKs.
func checkServerVariables(t *testing.T, environment map[string]string) {
	t.Helper()
	known := map[string]bool{"AWS_SHARED_CREDENTIALS_FILE": true}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[server.Config]()) {
		known[field.Tag.Get("env")] = true
	}
	for name := range environment {
		if !known[name] {
			t.Errorf("the server has no variable %s", name)
		}
	}
}

// checkEnvironment checks the variables of a server in a shared deployment, and
// returns the names of the files in secretFiles that the values name.
func checkEnvironment(t *testing.T, environment map[string]string) (files []string) {
	t.Helper()
	checkServerVariables(t, environment)
	for _, value := range environment {
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
