package docs_test

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const recipes = "../examples/ci/"

var (
	ciLanguages = []string{"python", "javascript", "java", "go", "shell"}
	ciForms     = []string{"exec", "service"}
	ciSystems   = map[string]func(t *testing.T, form string) recipe{"github": githubRecipe, "gitlab": gitlabRecipe, "jenkins": jenkinsRecipe}
)

// recipe is a file for a CI system.
type recipe struct {
	before []string            // scripts that run before those of every language
	jobs   map[string][]string // scripts by language
}

// check checks that the recipe has all languages, in the form.
func (r recipe) check(t *testing.T, form string) {
	t.Helper()
	if len(r.jobs) != len(ciLanguages) {
		t.Errorf("got %d jobs, want one for each of %v", len(r.jobs), ciLanguages)
	}
	for _, language := range ciLanguages {
		script := strings.Join(r.jobs[language], "\n")
		if script == "" {
			t.Errorf("there is no job for %s", language)
		}
		if got := strings.Contains(script, ".understudy/understudy exec --fail-on-findings --junit findings.xml -- "); got != (form == "exec") {
			t.Errorf("%s: got the form exec %t:\n%s", language, got, script)
		}
	}
}

// decodeStrictly reads a YAML file into a value that has all its fields.
func decodeStrictly(t *testing.T, file string, value any) {
	t.Helper()
	text, err := os.ReadFile(recipes + file)
	if err != nil {
		t.Fatal(err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(value); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// githubWorkflow is the part of GitHub's workflow syntax that the recipes use.
type githubWorkflow struct {
	Name        string
	On          []string
	Permissions map[string]string
	Env         map[string]string
	Jobs        map[string]struct {
		RunsOn   string `yaml:"runs-on"`
		Timeout  int    `yaml:"timeout-minutes"`
		Services map[string]struct {
			Image   string
			Ports   []string
			Options string
		}
		Steps []struct {
			Uses string
			With map[string]string
			Run  string
			If   string
		}
	}
}

var (
	actionName = regexp.MustCompile(`^actions/[a-z-]+@v[0-9]+$`)
	ciImage    = regexp.MustCompile(`^images\.example/understudy:\d+\.\d+\.\d+$`)
)

func githubRecipe(t *testing.T, form string) recipe {
	var workflow githubWorkflow
	decodeStrictly(t, "github-"+form+".yml", &workflow)
	if !slices.Equal(workflow.On, []string{"push", "pull_request"}) || workflow.Permissions["contents"] != "read" {
		t.Errorf("on: %v, permissions: %v", workflow.On, workflow.Permissions)
	}
	r := recipe{jobs: map[string][]string{}}
	for name, job := range workflow.Jobs {
		if !strings.HasPrefix(job.RunsOn, "ubuntu-") || job.Timeout == 0 {
			t.Errorf("%s: runs-on %q, timeout-minutes %d", name, job.RunsOn, job.Timeout)
		}
		service := job.Services["understudy"]
		if form == "service" && (!ciImage.MatchString(service.Image) || len(service.Ports) != 2 ||
			service.Options != "--add-host="+workflow.Env["RECEIVER_HOST"]+":host-gateway") {
			t.Errorf("%s: service %+v", name, service)
		}
		uploaded := ""
		for _, step := range job.Steps {
			if (step.Uses == "") == (step.Run == "") || step.Uses != "" && !actionName.MatchString(step.Uses) || step.Run != "" && step.With != nil {
				t.Errorf("%s: step %+v", name, step)
			}
			if step.Run != "" {
				r.jobs[name] = append(r.jobs[name], step.Run)
			}
			if step.If == "always()" {
				uploaded = step.With["path"]
			}
		}
		if form == "exec" && uploaded != "findings.xml" {
			t.Errorf("%s uploads %q", name, uploaded)
		}
	}
	return r
}

// gitlabPipeline is the part of GitLab's pipeline syntax that the recipes use.
type gitlabPipeline struct {
	Variables map[string]string
	Default   struct {
		Timeout  string
		Services []struct {
			Name, Alias string
			Variables   map[string]string
		}
		Before    []string `yaml:"before_script"`
		Artifacts struct {
			When    string
			Paths   []string
			Reports map[string]string
		}
	}
	Jobs map[string]struct {
		Image     string
		Variables map[string]string
		Cache     struct {
			Key   struct{ Files []string }
			Paths []string
		}
		Script []string
	} `yaml:",inline"`
}

func gitlabRecipe(t *testing.T, form string) recipe {
	var pipeline gitlabPipeline
	decodeStrictly(t, "gitlab-"+form+".yml", &pipeline)
	settings := pipeline.Default
	switch artifacts := settings.Artifacts; form {
	case "exec":
		if artifacts.When != "always" || !slices.Equal(artifacts.Paths, []string{"findings.xml"}) || artifacts.Reports["junit"] != "findings.xml" {
			t.Errorf("artifacts: %+v", artifacts)
		}
	case "service":
		if len(settings.Services) != 1 || !ciImage.MatchString(settings.Services[0].Name) {
			t.Fatalf("services: %+v", settings.Services)
		}
		alias := settings.Services[0].Alias
		if settings.Services[0].Variables["CONTROL_HOSTS"] != alias || pipeline.Variables["UNDERSTUDY_CONTROL_URL"] != "http://"+alias+":8081" {
			t.Errorf("services: %+v, variables: %v", settings.Services, pipeline.Variables)
		}
	}
	r := recipe{before: settings.Before, jobs: map[string][]string{}}
	for name, job := range pipeline.Jobs {
		if job.Image == "" {
			t.Errorf("%s has no image", name)
		}
		r.jobs[name] = job.Script
	}
	return r
}

func jenkinsRecipe(t *testing.T, form string) recipe {
	text, err := os.ReadFile(recipes + "Jenkinsfile-" + form)
	if err != nil {
		t.Fatal(err)
	}
	root, err := parseJenkinsfile(string(text))
	if err == nil {
		err = checkJenkinsfile(root)
	}
	if err != nil {
		t.Fatalf("Jenkinsfile-%s: %v", form, err)
	}
	r := recipe{jobs: map[string][]string{}}
	for _, stage := range root.children[0].all("stages")[0].children {
		var scripts []string
		for _, step := range stage.children[0].all("sh") {
			for line := range strings.Lines(strings.TrimSpace(step.values[0])) {
				scripts = append(scripts, strings.TrimSpace(line))
			}
		}
		if name := strings.ToLower(stage.values[0]); slices.Contains(ciLanguages, name) {
			r.jobs[name] = scripts
		} else {
			r.before = append(r.before, scripts...)
		}
	}
	last := root.children[0].all("post")[0].children[0]
	if form == "exec" && (last.all("junit")[0].values[0] != "findings.xml" || last.all("archiveArtifacts")[0].values[0] != "findings.xml") {
		t.Errorf("post: the findings are not published")
	}
	return r
}

// TestCIRecipes checks the structure of the recipes of docs/ci.md: they have no key that these tests do not know.
func TestCIRecipes(t *testing.T) {
	t.Parallel()
	for system, read := range ciSystems {
		for _, form := range ciForms {
			t.Run(system+"/"+form, func(t *testing.T) { read(t, form).check(t, form) })
		}
	}
}

// TestJenkinsfileErrors checks that mistakes in a Jenkinsfile are found.
func TestJenkinsfileErrors(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(recipes + "Jenkinsfile-exec")
	if err != nil {
		t.Fatal(err)
	}
	for old, replacement := range map[string]string{
		"\n}\n":                "\n",                // a block without an end
		"post {":               "}\n  post {",       // an end without a block
		"sh 'npm ci'":          "sh 'npm ci",        // a string without an end
		"sh 'install -D":       "shell 'install -D", // an unknown step
		"stage('Go')":          "stage('Go'",        // a parenthesis without an end
		"stage('Shell')":       "stage",             // no name
		"stages {":             "stage {",           // an unknown section
		"    always {":         "    sometimes {",   // an unknown condition
		"junit 'findings.xml'": "junit",             // no value
	} {
		changed := strings.Replace(string(text), old, replacement, 1)
		if changed == string(text) {
			t.Errorf("the recipe does not contain %q", old)
		}
		root, err := parseJenkinsfile(changed)
		if err == nil {
			err = checkJenkinsfile(root)
		}
		if err == nil {
			t.Errorf("no error with %q instead of %q", replacement, old)
		}
	}
}
