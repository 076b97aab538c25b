package enrich

import (
	"crypto/sha256"
	"encoding/binary"

	"understudy.example/internal/address"
)

// hash identifies a company; its synthetic values are drawn from it. Each field has
// its own draws, so that a new field does not change the values of others.
type hash string

func newHash(name, country, postalCode string) hash {
	return hash(address.Key(name) + "|" + country + "|" + address.Key(postalCode))
}

// draw returns a number from 0 to n-1 for the field.
func (h hash) draw(field string, n uint64) int {
	sum := sha256.Sum256([]byte(string(h) + "|" + field))
	return int(binary.BigEndian.Uint64(sum[:8]) % n)
}

// Multipliers for drawAround: quantiles of log-normal distributions with median 1,
// in thousandths. Integer tables yield the same draw on every machine, which
// floating-point logarithms do not.
var (
	wideSpread = []int{
		94, 158, 210, 259, 306, 353, 401, 451, 502, 556, 613, 673, 737, 805, 878, 958,
		1044, 1138, 1242, 1357, 1486, 1632, 1798, 1991, 2219, 2493, 2833, 3272, 3868, 4757, 6319, 10690,
	}
	narrowSpread = []int{
		379, 470, 528, 575, 616, 653, 688, 722, 754, 787, 818, 850, 883, 915, 948, 983,
		1018, 1054, 1093, 1133, 1176, 1222, 1271, 1325, 1385, 1453, 1531, 1624, 1739, 1893, 2126, 2636,
	}
)

// drawAround returns the median times a multiplier drawn from the table, varied by
// up to 5 % so that companies differ.
func (h hash) drawAround(field string, median int, table []int) int {
	n := h.draw(field, uint64(len(table))*101)
	return median * table[n/101] / 1000 * (950 + n%101) / 1000
}
