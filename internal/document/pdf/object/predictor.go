package object

// predictor describes how a filter transformed the bytes before it packed them. It also
// has the other parameters of the filter.
type predictor struct {
	kind        int // 1 none, 2 of TIFF, 10 and more of PNG
	colors      int
	bits        int // of each color
	columns     int // in a row
	earlyChange int // of LZW
}

// predictor returns the parameters of a filter.
func (f *File) predictor(parameters Dict) predictor {
	number := func(key Name, standard, most int) int {
		if n, ok := integer(f.Resolve(parameters[key])); ok && n >= 0 && n <= most {
			return n
		}
		return standard
	}
	return predictor{number("Predictor", 1, 15), number("Colors", 1, 32), number("BitsPerComponent", 8, 16), number("Columns", 1, 1<<24), number("EarlyChange", 1, 1)}
}

// undo returns the data as it was before the transformation. The last row may be
// incomplete.
func (p predictor) undo(data []byte) []byte {
	row := (p.columns*p.colors*p.bits + 7) / 8
	pixel := max(p.colors*p.bits/8, 1)
	switch {
	case row == 0:
	case p.kind == 2:
		p.undoTIFF(data, row)
	case p.kind >= 10:
		return undoPNG(data, row, pixel)
	}
	return data
}

// undoTIFF adds the value of the pixel to the left to each one. It reads colors of eight
// bits; others are only in images.
func (p predictor) undoTIFF(data []byte, row int) {
	if p.bits != 8 {
		return
	}
	for start := 0; start < len(data); start += row {
		line := data[start:min(start+row, len(data))]
		for i := p.colors; i < len(line); i++ {
			line[i] += line[i-p.colors]
		}
	}
}

// undoPNG undoes the filter that the first byte of each row names.
func undoPNG(data []byte, row, pixel int) []byte {
	out := make([]byte, 0, len(data))
	above := make([]byte, min(row, len(data)))
	for len(data) > 1 {
		kind := data[0]
		start := len(out)
		out = append(out, data[1:min(row+1, len(data))]...)
		data = data[min(row+1, len(data)):]
		line := out[start:]
		for i := range line {
			var left, corner byte
			if i >= pixel {
				left, corner = line[i-pixel], above[i-pixel]
			}
			switch kind {
			case 1:
				line[i] += left
			case 2:
				line[i] += above[i]
			case 3:
				line[i] += byte((int(left) + int(above[i])) / 2)
			case 4:
				line[i] += paeth(left, above[i], corner)
			}
		}
		above = line
	}
	return out
}

// paeth returns the one of three neighbours that is nearest to their estimate.
func paeth(left, above, corner byte) byte {
	estimate := int(left) + int(above) - int(corner)
	toLeft, toAbove, toCorner := abs(estimate-int(left)), abs(estimate-int(above)), abs(estimate-int(corner))
	switch {
	case toLeft <= toAbove && toLeft <= toCorner:
		return left
	case toAbove <= toCorner:
		return above
	}
	return corner
}

func abs(n int) int { return max(n, -n) }
