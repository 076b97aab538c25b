package object

// Codes of LZWDecode that are not bytes or sequences.
const (
	lzwClear = 256
	lzwEnd   = 257
	lzwFirst = 258 // sequence
	lzwCodes = 4096
)

// decodeLZW reads LZWDecode. Unlike in compress/lzw, codes get longer one code early
// unless the parameters say otherwise.
func decodeLZW(data []byte, p predictor, limit int) ([]byte, error) {
	var (
		out    []byte
		starts [lzwCodes]int // of the sequences in out
		ends   [lzwCodes]int
		next   = lzwFirst
		width  = 9
		buffer uint32
		bits   int
		before = -1 // where the previous sequence starts in out
	)
	for _, c := range data {
		buffer = buffer<<8 | uint32(c)
		if bits += 8; bits < width {
			continue
		}
		bits -= width
		code := int(buffer>>bits) & (1<<width - 1)
		if code == lzwEnd {
			break
		}
		if code == lzwClear {
			next, width, before = lzwFirst, 9, -1
			continue
		}
		start := len(out)
		if before >= 0 && next < lzwCodes {
			// The new sequence is the previous one and the byte that follows it in out.
			starts[next], ends[next] = before, start+1
			next++
		}
		switch {
		case code < lzwClear:
			out = append(out, byte(code))
		case code < next && ends[code] > 0:
			for i := starts[code]; i < ends[code]; i++ {
				out = append(out, out[i])
			}
		default:
			return p.undo(out), ErrDamagedStream
		}
		if len(out) > limit {
			return nil, ErrTooLarge
		}
		before = start
		for width < 12 && next+p.earlyChange >= 1<<width {
			width++
		}
	}
	return p.undo(out), nil
}
