package object

import (
	"bytes"
	"compress/flate"
	"io"
)

// decoder unpacks data, up to a limit in bytes, and undoes a predictor. If the data is
// damaged, it returns the part that it could read.
type decoder func(data []byte, p predictor, limit int) ([]byte, error)

// decoders are the filters of streams that are not images.
var decoders = map[Name]decoder{
	"FlateDecode": inflate, "Fl": inflate,
	"LZWDecode": decodeLZW, "LZW": decodeLZW,
	"ASCII85Decode": decode85, "A85": decode85,
	"ASCIIHexDecode": decodeHex, "AHx": decodeHex,
	"RunLengthDecode": decodeRuns, "RL": decodeRuns,
	"Crypt": func(data []byte, _ predictor, _ int) ([]byte, error) { return data, nil }, // see decryptStream
}

// inflate reads FlateDecode. It ignores the checksum, which is often missing or wrong.
func inflate(data []byte, p predictor, limit int) ([]byte, error) {
	if len(data) == 0 {
		return nil, nil
	}
	data = bytes.TrimLeft(data, "\r\n") // in front of a head that starts with x or a digit
	skip := 0
	if len(data) >= 2 && data[0]&0xf == 8 && (int(data[0])<<8|int(data[1]))%31 == 0 {
		skip = 2
	}
	out, err := readFlate(data[skip:], limit)
	if len(out) == 0 && err != nil && skip == 0 && len(data) > 2 {
		out, err = readFlate(data[2:], limit) // the head is damaged
	}
	if len(out) > limit {
		return nil, ErrTooLarge
	}
	return p.undo(out), err
}

func readFlate(data []byte, limit int) ([]byte, error) {
	var out bytes.Buffer
	out.Grow(min(4*len(data), limit) + bytes.MinRead)
	if _, err := io.Copy(&out, io.LimitReader(flate.NewReader(bytes.NewReader(data)), int64(limit)+1)); err != nil {
		return out.Bytes(), ErrDamagedStream
	}
	return out.Bytes(), nil
}

// decode85 reads ASCII85Decode.
func decode85(data []byte, _ predictor, limit int) ([]byte, error) {
	var out []byte
	group, digits := uint32(0), 0
	for i, c := range data {
		switch {
		case len(out) > limit:
			return nil, ErrTooLarge
		case c == '~' || i == 0 && c == '<':
			if c == '~' && i > 1 {
				return append(out, end85(group, digits)...), nil
			}
		case c == 'z' && digits == 0:
			out = append(out, 0, 0, 0, 0)
		case c >= '!' && c <= 'u':
			group = group*85 + uint32(c-'!')
			if digits++; digits == 5 {
				out = append(out, byte(group>>24), byte(group>>16), byte(group>>8), byte(group))
				group, digits = 0, 0
			}
		case !IsSpace(c):
			return out, ErrDamagedStream
		}
	}
	return append(out, end85(group, digits)...), nil
}

// end85 returns the bytes of a last group of fewer than five digits.
func end85(group uint32, digits int) []byte {
	if digits < 2 {
		return nil
	}
	for range 5 - digits {
		group = group*85 + 84
	}
	return []byte{byte(group >> 24), byte(group >> 16), byte(group >> 8)}[:digits-1]
}

// decodeHex reads ASCIIHexDecode.
func decodeHex(data []byte, _ predictor, limit int) ([]byte, error) {
	digits, _, _ := bytes.Cut(data, []byte(">"))
	if len(digits)/2 > limit {
		return nil, ErrTooLarge
	}
	return hexBytes(digits), nil
}

// decodeRuns reads RunLengthDecode.
func decodeRuns(data []byte, _ predictor, limit int) ([]byte, error) {
	var out []byte
	for len(data) > 0 && data[0] != 128 {
		n := int(data[0])
		if data = data[1:]; n < 128 {
			n = min(n+1, len(data))
			out = append(out, data[:n]...)
			data = data[n:]
		} else if len(data) > 0 {
			out = append(out, bytes.Repeat(data[:1], 257-n)...)
			data = data[1:]
		}
		if len(out) > limit {
			return nil, ErrTooLarge
		}
	}
	return out, nil
}
