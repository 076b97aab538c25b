package office

import (
	"math"

	"understudy.example/internal/document/compound"
)

// The numbers of the records that are read, of Excel 97-2003 (MS-XLS) and of
// Excel 5 and 95. Those whose name ends in a digit are of that version of Excel.
const (
	xlsFormula    = 0x06
	xlsEOF        = 0x0a
	xlsDateMode   = 0x22
	xlsFilePass   = 0x2f
	xlsContinue   = 0x3c
	xlsCodePage   = 0x42
	xlsBoundSheet = 0x85
	xlsMulRK      = 0xbd
	xlsRString    = 0xd6
	xlsXF         = 0xe0
	xlsMerged     = 0xe5
	xlsSST        = 0xfc
	xlsLabelSST   = 0xfd
	xlsNumber     = 0x203
	xlsLabel      = 0x204
	xlsBoolErr    = 0x205
	xlsFormula3   = 0x206
	xlsString     = 0x207
	xlsXF3        = 0x243
	xlsRK         = 0x27e
	xlsFormula4   = 0x406
	xlsFormat     = 0x41e
	xlsXF4        = 0x443
	xlsBOF        = 0x809
)

// xlsRecords splits a stream into records.
type xlsRecords struct {
	data []byte
	at   int
}

func (s *xlsRecords) next() (kind int, body []byte, ok bool) {
	if s.at < 0 || s.at+4 > len(s.data) {
		return 0, nil, false
	}
	kind, size := compound.Uint16(s.data, s.at), compound.Uint16(s.data, s.at+2)
	from := s.at + 4
	s.at = min(from+size, len(s.data))
	return kind, s.data[from:s.at], true
}

// continued takes the records that continue the last one.
func (s *xlsRecords) continued() [][]byte {
	var list [][]byte
	for s.at+4 <= len(s.data) && compound.Uint16(s.data, s.at) == xlsContinue {
		_, body, _ := s.next()
		list = append(list, body)
	}
	return list
}

// rkNumber unpacks a number stored in four bytes.
func rkNumber(rk uint32) float64 {
	var n float64
	if rk&2 != 0 {
		n = float64(int32(rk) >> 2)
	} else {
		n = math.Float64frombits(uint64(rk&^3) << 32)
	}
	if rk&1 != 0 {
		n /= 100
	}
	return n
}
