package pdf

import "math"

// matrix is a PDF transformation: a b c d e f.
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

// then returns the transformation m followed by n.
func (m matrix) then(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

func (m matrix) apply(x, y float64) (float64, float64) {
	return x*m[0] + y*m[2] + m[4], x*m[1] + y*m[3] + m[5]
}

// box is a rectangle with x0 <= x1 and y0 <= y1.
type box struct{ x0, y0, x1, y1 float64 }

// box returns the smallest box around a transformed box.
func (m matrix) box(b box) box {
	x0, y0 := m.apply(b.x0, b.y0)
	x1, y1 := m.apply(b.x1, b.y1)
	return box{math.Min(x0, x1), math.Min(y0, y1), math.Max(x0, x1), math.Max(y0, y1)}
}

// turn returns a point in the coordinates of text that is rotated by a number of
// quarter turns, counter-clockwise.
func turn(x, y float64, quarters int) (float64, float64) {
	switch quarters {
	case 1:
		return y, -x
	case 2:
		return -x, -y
	case 3:
		return -y, x
	}
	return x, y
}

func sign(f float64) float64 {
	if f < 0 {
		return -1
	}
	return 1
}
