package pdf

import "math"

// alignCentred moves texts that stand in the middle between two lines of the cell beside them, as in tables
// without rules whose cells are centred: a label beside its value of two lines, or a value beside its label.
// The label then stands beside the first line of its value, and the two lines of a label become one.
func alignCentred(lines []textLine) []textLine {
	out := lines[:0:0]
	for i := 0; i < len(lines); i++ {
		if i+2 >= len(lines) || !isCentred(&lines[i], &lines[i+1], &lines[i+2]) {
			out = append(out, lines[i])
			continue
		}
		above, middle, below := lines[i], lines[i+1], lines[i+2]
		if middle.segments[0].x0 < above.segments[0].x0 {
			middle.y, middle.segments = above.y, append(middle.segments[:1:1], above.segments[0])
			out = append(out, middle, below)
		} else {
			label := above.segments[0]
			label.text += " " + below.segments[0].text
			label.x1 = math.Max(label.x1, below.segments[0].x1)
			above.segments = append([]segment{label}, middle.segments...)
			out = append(out, above)
		}
		i += 2
	}
	return out
}

// isCentred reports whether a line stands between two lines of a cell beside it. The lines of a text are further
// apart than these.
func isCentred(above, middle, below *textLine) bool {
	if len(above.segments) != 1 || len(below.segments) != 1 || math.Abs(above.segments[0].x0-below.segments[0].x0) > 1 {
		return false
	}
	size := math.Max(math.Max(above.size, below.size), middle.size)
	up, down := above.y-middle.y, middle.y-below.y
	if up > maxCentred*size || down > maxCentred*size || math.Abs(up-down) > maxOffCentre*size {
		return false
	}
	last := middle.segments[len(middle.segments)-1]
	if last.x1 < above.segments[0].x0 {
		return len(middle.segments) == 1
	}
	return middle.segments[0].x0 > math.Max(above.segments[0].x1, below.segments[0].x1)
}

// Distances of a centred text from the lines above and below it, in multiples of the size of the text.
const (
	maxCentred   = 0.85
	maxOffCentre = 0.3 // by which they differ
)
