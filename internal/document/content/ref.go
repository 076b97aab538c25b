package content

import "strconv"

// Ref is the position of a cell in its table. It is small, because a document can have hundreds of
// thousands of cells. The zero value means that the position is unknown.
type Ref struct {
	Row    int32 // from 1
	Column int16 // from 1
	Named  bool  // the cell has a spreadsheet name, such as B7
}

// CellRef returns the position of a cell in a table whose cells have no names of their own. Row and column count
// from 1.
func CellRef(row, column int) Ref { return Ref{Row: int32(row), Column: int16(column)} }

// NamedRef returns the position of a cell in a spreadsheet. Row and column count from 1.
func NamedRef(row, column int) Ref { return Ref{int32(row), int16(column), true} }

// SetRefs sets the Ref of each cell of a row to its CellRef.
func SetRefs(cells []Cell, row int) {
	for c := range cells {
		cells[c].Ref = CellRef(row, c+1)
	}
}

// String returns the name of the cell, such as "B7", or "row 3, column 2" if it has none. It is
// empty for the zero value.
func (r Ref) String() string {
	if r == (Ref{}) {
		return ""
	}
	return string(r.append(nil))
}

func (r Ref) append(text []byte) []byte {
	if r.Named {
		return strconv.AppendInt(appendLetters(text, int(r.Column)), int64(r.Row), 10)
	}
	text = strconv.AppendInt(append(text, "row "...), int64(r.Row), 10)
	return strconv.AppendInt(append(text, ", column "...), int64(r.Column), 10)
}

// appendLetters appends the letters of a column of a spreadsheet, such as AB for 28.
func appendLetters(text []byte, column int) []byte {
	if column > 26 {
		text = appendLetters(text, (column-1)/26)
	}
	return append(text, byte('A'+(column-1)%26))
}
