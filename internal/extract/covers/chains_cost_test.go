package covers

import "testing"

// TestSentencesAreCountedOnce checks that the words of a sentence are not examined again for each of its
// chains.
func TestSentencesAreCountedOnce(t *testing.T) {
	t.Parallel()
	s := newSentence("please quote auto: GL")
	chains := s.chains()
	s.keys, s.kinds, s.asks, s.beside = nil, nil, nil, nil
	if len(chains) != 2 || !s.consistsOf(chains[0]) || !s.consistsOf(chains[1]) {
		t.Errorf("%d chains of a sentence that consists of them", len(chains))
	}
}
