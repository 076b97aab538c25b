package lazyregexp

import "testing"

func TestCompiledAtFirstUse(t *testing.T) {
	inTest = false
	defer func() {
		inTest = true
		if recover() == nil {
			t.Error("the use of an invalid expression did not panic")
		}
	}()
	invalid := New("(")
	if invalid.String() != "(" {
		t.Errorf("got %s", invalid)
	}
	invalid.MatchString("a")
}
