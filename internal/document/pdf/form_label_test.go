package pdf

import "testing"

// TestAnswersAreLabelsOnce puts many checkboxes on the line of a question. Each answer becomes a label once
// for the line and once for its own field, and the line is not searched again.
func TestAnswersAreLabelsOnce(t *testing.T) {
	const boxes = 300
	text := &pageText{segments: []segment{{"Any cranes in use?", 1, 90, 540, 10}}}
	for i := range boxes {
		text.segments = append(text.segments, segment{"No", float64(100 + 20*i), float64(110 + 20*i), 540, 10})
	}
	answers := text.segments[1:]
	for _, answer := range answers {
		text.labels = append(text.labels, answer) // as label does
		if got := text.question(formField{button: true}, answer); got != "Any cranes in use?" {
			t.Fatalf("got the question %q", got)
		}
		text.segments = nil
	}
	if len(text.labels) != 2*boxes+1 {
		t.Errorf("%d labels for %d boxes", len(text.labels), boxes)
	}
}
