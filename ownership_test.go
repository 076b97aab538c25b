package understudy_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage/storagetest"
)

func TestMain(m *testing.M) { storagetest.Main(m) }

// tableOwners returns the package that owns each table and view, from the section
// "Tables by owner" of ARCHITECTURE.md: a table with an owner and its tables in each
// row, formatted as code.
func tableOwners(t *testing.T) map[string]string {
	t.Helper()
	_, rest, found := strings.Cut(architecture(t), "\n## Tables by owner\n")
	section, _, _ := strings.Cut(rest, "\n## ")
	if !found {
		t.Fatal("ARCHITECTURE.md has no section \"Tables by owner\"")
	}
	owners := map[string]string{}
	code := regexp.MustCompile("`([a-z_/]+)`")
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\| (.*) \\|$").FindAllStringSubmatch(section, -1) {
		for _, table := range code.FindAllStringSubmatch(row[2], -1) {
			if other, twice := owners[table[1]]; twice {
				t.Errorf("%s has two owners, %s and %s", table[1], other, row[1])
			}
			owners[table[1]] = row[1]
		}
	}
	return owners
}

// TestEveryTableHasAnOwner checks that ARCHITECTURE.md has the tables and views of
// the schema, and no others.
func TestEveryTableHasAnOwner(t *testing.T) {
	t.Parallel()
	rows, err := storagetest.DB(t).Query(t.Context(), `
		select table_name::text
		from information_schema.tables
		where table_schema = current_schema()`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) == 0 {
		t.Fatalf("tables %v, %v", tables, err)
	}
	owners := tableOwners(t)
	for _, table := range tables {
		if owners[table] == "" {
			t.Errorf("ARCHITECTURE.md has no owner of %s", table)
		}
	}
	for table := range owners {
		if !slices.Contains(tables, table) {
			t.Errorf("ARCHITECTURE.md has an owner of %s, which does not exist", table)
		}
	}
}

// TestPackagesUseOnlyTheirOwnTables checks that no SQL text in a package names a
// table or view of another owner. A package and the packages below it are one
// owner. SQL functions are open to all.
func TestPackagesUseOnlyTheirOwnTables(t *testing.T) {
	t.Parallel()
	owners := tableOwners(t)
	used := map[string]bool{}
	for _, p := range packages(t) {
		if strings.HasSuffix(p.ImportPath, "test") {
			continue // packages for tests, such as servertest
		}
		files := token.NewFileSet()
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, use := range tablesUsed(file) {
				owner, isTable := owners[use.table]
				if !isTable {
					continue
				}
				used[use.table] = true
				if p.name() != owner && !strings.HasPrefix(p.name(), owner+"/") {
					t.Errorf("%s: %s uses the table %s of %s", files.Position(use.pos), p.name(), use.table, owner)
				}
			}
		}
	}
	for table := range owners {
		if !used[table] && table != "goose_db_version" { // goose has its SQL itself
			t.Errorf("no package uses %s", table)
		}
	}
}

// tableUse is a name in a Go file that stands where SQL has a table.
type tableUse struct {
	table string
	pos   token.Pos
}

// tablesUsed returns the names in the file that stand where SQL has a table, in
// string literals and in literals of pgx.Identifier.
func tablesUsed(file *ast.File) []tableUse {
	var uses []tableUse
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit:
			if text, err := strconv.Unquote(node.Value); node.Kind == token.STRING && err == nil {
				for _, table := range tablesIn(text) {
					uses = append(uses, tableUse{table, node.Pos()})
				}
			}
		case *ast.CompositeLit:
			selector, ok := node.Type.(*ast.SelectorExpr)
			if !ok || selector.Sel.Name != "Identifier" {
				break
			}
			for _, element := range node.Elts {
				if literal, ok := element.(*ast.BasicLit); ok {
					name, _ := strconv.Unquote(literal.Value)
					uses = append(uses, tableUse{name, literal.Pos()})
				}
			}
		}
		return true
	})
	return uses
}

// sqlToken matches a comment or text in quotes, which tablesIn ignores, or a word or
// another character.
var sqlToken = regexp.MustCompile(`--[^\n]*|(?s:/\*.*?\*/)|'(?:[^']|'')*'|@?[A-Za-z_][A-Za-z0-9_]*|"[^"]*"|\S`)

// beforeTable are the words that a table, or a list of tables, follows.
var beforeTable = map[string]bool{
	"from": true, "join": true, "into": true, "update": true, "using": true, "copy": true, "table": true, "truncate": true, "only": true, "lateral": true,
}

// tablesIn returns the names that stand where SQL has a table. Some are not tables:
// stdin after copy, or any word after "from" in a text that is not SQL.
func tablesIn(text string) []string {
	var tokens []string
	for _, found := range sqlToken.FindAllString(text, -1) {
		if !strings.HasPrefix(found, "--") && !strings.HasPrefix(found, "/*") && !strings.HasPrefix(found, "'") {
			tokens = append(tokens, strings.Trim(strings.ToLower(found), `"`))
		}
	}
	var tables []string
	for i, word := range tokens {
		if !beforeTable[word] || i > 0 && (tokens[i-1] == "distinct" || tokens[i-1] == "for") { // is distinct from x; for update
			continue
		}
		for next := i + 1; next < len(tokens) && !beforeTable[tokens[next]]; {
			name, after := tableAt(tokens, next)
			isFunction := after < len(tokens) && tokens[after] == "(" && word != "into" && word != "copy"
			if name != "" && !isFunction && !isCommonTable(tokens, name, next) {
				tables = append(tables, name)
			}
			next = afterListItem(tokens, after)
		}
	}
	return tables
}

var word = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// tableAt returns the table name at the index, without its schema, and the index
// after it. The name is "" at a subquery.
func tableAt(tokens []string, i int) (name string, after int) {
	if tokens[i] == "(" {
		return "", closing(tokens, i) + 1
	}
	if !word.MatchString(tokens[i]) {
		return "", i + 1
	}
	if i+2 < len(tokens) && tokens[i+1] == "." {
		return tokens[i+2], i + 3
	}
	return tokens[i], i + 1
}

// afterListItem returns the index of the next table of a list such as "a x, b as y"
// after the name of one of its tables; len(tokens) if the list has ended.
func afterListItem(tokens []string, i int) int {
	if i < len(tokens) && tokens[i] == "(" { // arguments of a function
		i = closing(tokens, i) + 1
	}
	if i < len(tokens) && tokens[i] == "as" {
		i++
	}
	if i < len(tokens) && word.MatchString(tokens[i]) { // alias
		i++
	}
	if i < len(tokens) && tokens[i] == "(" { // names of the alias's columns
		i = closing(tokens, i) + 1
	}
	if i < len(tokens) && tokens[i] == "," {
		return i + 1
	}
	return len(tokens)
}

// closing returns the index of the parenthesis that closes the one at i.
func closing(tokens []string, i int) int {
	depth := 0
	for ; i < len(tokens); i++ {
		switch tokens[i] {
		case "(":
			depth++
		case ")":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(tokens)
}

// isCommonTable reports whether the name at the index is that of a common table
// expression (with name as (…)) that ends before the index.
func isCommonTable(tokens []string, name string, i int) bool {
	for j := 1; j+2 < i; j++ {
		if tokens[j] != name || tokens[j-1] != "with" && tokens[j-1] != "recursive" && tokens[j-1] != "," {
			continue
		}
		open := j + 1
		for open < i && tokens[open] != "(" && slices.Contains([]string{"as", "not", "materialized"}, tokens[open]) {
			open++
		}
		if open > j+1 && tokens[open] == "(" && closing(tokens, open) < i {
			return true
		}
	}
	return false
}

func TestTablesIn(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"select a from t where b is distinct from c":                                       "t",
		"select 1 from a x, b as y, (select 2 from c) z, d where 1 in (1, 2)":              "a b d c",
		"select * from a join sandbox.b on true left join lateral f(1) g on true":          "a b",
		"select * from f(@ids) with ordinality, a":                                         "",
		"select * from f(@ids) x, a":                                                       "a",
		"insert into t (a, b) select 1, 2 on conflict (a) do update set a = 1":             "t set",
		"update t set a = 1 from u, v where x = 'from w'":                                  "t u v",
		"delete from t using u where true -- from w":                                       "t u",
		"with c as (select 1 from t), d as (delete from c returning 1) select * from c, d": "t",
		"with t as (select 1 from t) select 1 from t":                                      "t",
		"select 1 from t for update of t skip locked":                                      "t",
		"copy t (a) from stdin":                                                            "t stdin",
	} {
		got := strings.Join(tablesIn(sql), " ")
		if got != want {
			t.Errorf("tablesIn(%s) = %q, want %q", sql, got, want)
		}
	}
}
