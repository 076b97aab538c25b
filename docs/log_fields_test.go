package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestLogFieldsAreDocumented compares the names of the attributes in all calls of slog
// with the table of log fields.
func TestLogFieldsAreDocumented(t *testing.T) {
	t.Parallel()
	documented := map[string]bool{}
	text, err := os.ReadFile("monitoring.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Logs\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(section, -1) {
		if documented[row[1]] {
			t.Errorf("the table of log fields has %q twice", row[1])
		}
		documented[row[1]] = true
	}
	used := map[string]bool{}
	for _, attribute := range logAttributes(t) {
		used[attribute.name] = true
		if !documented[attribute.name] {
			t.Errorf("%s: the table of log fields does not have %q", attribute.at, attribute.name)
		}
	}
	for name := range documented {
		if !used[name] {
			t.Errorf("no line has the log field %q", name)
		}
	}
}

// logAttribute is the name of an attribute in a call of slog.
type logAttribute struct {
	name string
	at   token.Position
}

// logAttributes returns the names of the attributes in all calls of slog in the server's
// code.
func logAttributes(t *testing.T) []logAttribute {
	t.Helper()
	var found []logAttribute
	for _, top := range []string{"cmd", "internal"} {
		err := filepath.WalkDir(filepath.Join("..", top), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(node ast.Node) bool {
				call, ok := node.(*ast.CallExpr)
				if !ok {
					return true
				}
				for _, name := range attributeNames(call) {
					text, isText := name.(*ast.BasicLit)
					at := files.Position(name.Pos())
					if !isText || text.Kind != token.STRING {
						t.Errorf("%s: the name of the attribute is not a literal", at)
						continue
					}
					unquoted, _ := strconv.Unquote(text.Value)
					found = append(found, logAttribute{unquoted, at})
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// attributeNames returns the arguments of the call that name attributes: every second
// one after the message of slog.Info and its like, and the first one of slog.String and
// its like.
func attributeNames(call *ast.CallExpr) []ast.Expr {
	function, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !isLogger(function.X) {
		return nil
	}
	name, ofContext := strings.CutSuffix(function.Sel.Name, "Context")
	if slices.Contains([]string{"Any", "String", "Int", "Int64", "Uint64", "Float64", "Bool", "Duration", "Time", "Group"}, name) {
		return call.Args[:1]
	}
	first := 1
	switch {
	case name == "With":
		first = 0
	case !slices.Contains([]string{"Debug", "Info", "Warn", "Error"}, name):
		return nil
	case ofContext:
		first = 2
	}
	var names []ast.Expr
	for i := first; i < len(call.Args); i += 2 {
		names = append(names, call.Args[i])
	}
	return names
}

// isLogger reports whether the expression is the package slog, or a logger by its name.
func isLogger(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return slices.Contains([]string{"slog", "log", "logger"}, x.Name)
	case *ast.SelectorExpr:
		return isLogger(x.Sel)
	}
	return false
}
