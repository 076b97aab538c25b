package memo

import "testing"

// TestRemembersWhileRunning checks that a result is computed once for a document, and that it is
// forgotten at the end of the last document.
func TestRemembersWhileRunning(t *testing.T) {
	calls := 0
	table := New(func(text string) int { calls++; return len(text) })
	ask := func(want int) {
		t.Helper()
		for range 3 {
			if got := table.Of("four"); got != 4 {
				t.Errorf("got %d", got)
			}
		}
		if calls != want {
			t.Errorf("%d calls, want %d", calls, want)
		}
	}
	ask(3)
	endFirst := Start()
	ask(4)
	endSecond := Start()
	endFirst()
	ask(4)
	endSecond()
	if len(table.results) > 0 {
		t.Errorf("%d results are left", len(table.results))
	}
	ask(7)
}

// TestLimits checks that a table does not hold many results or long texts.
func TestLimits(t *testing.T) {
	table := New(func(text string) int { return len(text) })
	defer Start()()
	text := make([]byte, 2*maxText)
	for n := range text {
		table.Of(string(text[:n]))
	}
	for n := range 3 * maxResults {
		table.Of(string([]rune{'a', rune(n)}))
	}
	if len(table.results) > maxResults {
		t.Errorf("%d results", len(table.results))
	}
	for text := range table.results {
		if len(text) > maxText {
			t.Errorf("a text of %d bytes", len(text))
		}
	}
}
