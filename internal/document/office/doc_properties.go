package office

import "understudy.example/internal/document/compound"

// eachProperty calls visit for each property of a list. The upper bits of the
// number of a property state the size of its value.
func eachProperty(b []byte, visit func(number int, value []byte)) {
	for len(b) >= 3 {
		number := compound.Uint16(b, 0)
		b = b[2:]
		size := [8]int{1, 1, 2, 4, 2, 2, 0, 3}[number>>13]
		if size == 0 {
			size = 1 + int(b[0])
			if number == 0xd608 && len(b) > 1 {
				size = 1 + compound.Uint16(b, 0)
			}
		}
		size = min(size, len(b))
		visit(number, b[:size])
		b = b[size:]
	}
}
