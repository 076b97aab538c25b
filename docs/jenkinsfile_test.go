package docs_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// groovyNode is a line of a declarative pipeline, such as `sh 'make'`, or a block, such as `stage('Test') { … }`.
type groovyNode struct {
	name     string
	text     string // what stands before the block or the end of the line
	values   []string
	children []*groovyNode
	block    bool
}

// groovyToken matches a comment, a string, a brace, the end of a line, or other text.
var groovyToken = regexp.MustCompile(`(?s)//[^\n]*|'''(.*?)'''|'([^'\n]*)'|"([^"\n]*)"|[{}\n]|[^{}\n'"/]+|.`)

// parseJenkinsfile returns the blocks of a declarative pipeline. It knows as much of Groovy as the recipes need.
func parseJenkinsfile(text string) (*groovyNode, error) {
	root := &groovyNode{block: true}
	open := []*groovyNode{root}
	line := &groovyNode{}
	end := func() error {
		words := strings.FieldsFunc(line.text, func(r rune) bool { return r == ' ' || r == '(' || r == ':' })
		if len(words) == 0 {
			return nil
		}
		if strings.Count(line.text, "(") != strings.Count(line.text, ")") {
			return fmt.Errorf("parentheses are not balanced: %s", line.text)
		}
		line.name = words[0]
		parent := open[len(open)-1]
		parent.children = append(parent.children, line)
		line = &groovyNode{}
		return nil
	}
	for _, match := range groovyToken.FindAllStringSubmatch(text, -1) {
		switch token := match[0]; {
		case strings.HasPrefix(token, "//"):
		case token == "{":
			block := line
			block.block = true
			if err := end(); err != nil {
				return nil, err
			}
			if block.name == "" {
				return nil, errors.New("a block has no name")
			}
			open = append(open, block)
		case token == "}" || token == "\n":
			if err := end(); err != nil {
				return nil, err
			}
			if token == "\n" {
				continue
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return nil, errors.New("a block ends that has not begun")
			}
		case token == "'" || token == `"`:
			return nil, fmt.Errorf("a string does not end, after %s", line.text)
		case token[0] == '\'' || token[0] == '"':
			line.text += "''"
			line.values = append(line.values, match[1]+match[2]+match[3])
		default:
			line.text += token
		}
	}
	if len(open) != 1 {
		return nil, fmt.Errorf("the block %s does not end", open[len(open)-1].name)
	}
	return root, end()
}

// all returns the children with this name.
func (n *groovyNode) all(name string) (found []*groovyNode) {
	for _, child := range n.children {
		if child.name == name {
			found = append(found, child)
		}
	}
	return found
}

// checkJenkinsfile checks the sections and directives of a declarative pipeline.
func checkJenkinsfile(root *groovyNode) error {
	if len(root.children) != 1 || root.children[0].name != "pipeline" {
		return errors.New("the file is not one pipeline")
	}
	pipeline := root.children[0]
	for _, required := range []string{"agent", "stages", "post"} {
		if len(pipeline.all(required)) != 1 {
			return fmt.Errorf("the pipeline has not exactly one %s", required)
		}
	}
	for _, section := range pipeline.children {
		if !section.block || !slices.Contains([]string{"agent", "options", "environment", "stages", "post"}, section.name) {
			return fmt.Errorf("a pipeline has no section %s", section.name)
		}
	}
	for _, environment := range pipeline.all("environment") {
		for _, variable := range environment.children {
			if !regexp.MustCompile(`^\s*[A-Z_]+ = ''\s*$`).MatchString(variable.text) {
				return fmt.Errorf("environment: %s is not NAME = 'value'", variable.text)
			}
		}
	}
	for _, stage := range pipeline.all("stages")[0].children {
		if !stage.block || strings.TrimSpace(stage.text) != "stage('')" || len(stage.children) != 1 || stage.children[0].name != "steps" {
			return fmt.Errorf("%s %v is not a stage with steps", stage.name, stage.values)
		}
		if err := checkGroovySteps(stage.children[0]); err != nil {
			return fmt.Errorf("stage %v: %w", stage.values, err)
		}
	}
	for _, condition := range pipeline.all("post")[0].children {
		if condition.name != "always" {
			return fmt.Errorf("post: unknown condition %s", condition.name)
		}
		if err := checkGroovySteps(condition); err != nil {
			return fmt.Errorf("post: %w", err)
		}
	}
	return nil
}

func checkGroovySteps(block *groovyNode) error {
	if !block.block || len(block.children) == 0 {
		return errors.New("there are no steps")
	}
	for _, step := range block.children {
		if !slices.Contains([]string{"sh", "junit", "archiveArtifacts"}, step.name) {
			return fmt.Errorf("unknown step %s", step.name)
		}
		if step.block || strings.TrimSpace(step.text) != step.name+" ''" {
			return fmt.Errorf("the step %s has not exactly one string", step.name)
		}
	}
	return nil
}
