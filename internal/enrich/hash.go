package enrich

import (
	"crypto/sha256"
	"encoding/binary"

	"understudy.example/internal/address"
)

// hash is what a company's estimates are drawn from. Each field draws from a
// hash of its own, so that a new field changes no other.
type hash string

func newHash(name, country, postalCode string) hash {
	return hash(address.Key(name) + "|" + country + "|" + address.Key(postalCode))
}

// draw returns a number from 0 to n-1 for the field.
func (h hash) draw(field string, n uint64) int {
	sum := sha256.Sum256([]byte(string(h) + "|" + field))
	return int(binary.BigEndian.Uint64(sum[:8]) % n)
}

// The multipliers are the quantiles of log-normal distributions around one, in
// thousandths. Tables and whole numbers give the same draw on every machine;
// floating-point logarithms do not.
var (
	wide = []int{
		94, 158, 210, 259, 306, 353, 401, 451, 502, 556, 613, 673, 737, 805, 878, 958,
		1044, 1138, 1242, 1357, 1486, 1632, 1798, 1991, 2219, 2493, 2833, 3272, 3868, 4757, 6319, 10690,
	}
	narrow = []int{
		379, 470, 528, 575, 616, 653, 688, 722, 754, 787, 818, 850, 883, 915, 948, 983,
		1018, 1054, 1093, 1133, 1176, 1222, 1271, 1325, 1385, 1453, 1531, 1624, 1739, 1893, 2126, 2636,
	}
)

// spread multiplies the median by a draw from the table, with up to 5 % more
// or less so that companies differ.
func (h hash) spread(field string, median int, table []int) int {
	at := h.draw(field, uint64(len(table))*101)
	return median * table[at/101] / 1000 * (950 + at%101) / 1000
}
