package document

import (
	"crypto/md5"
	"crypto/sha1"
	"strings"
	"testing"
)

// TestUnlockXLS locks a workbook with Excel's own password, in both forms, and
// reads it. The cipher is its own inverse.
func TestUnlockXLS(t *testing.T) {
	salt := strings.Repeat("s", 16)
	verifier := "0123456789abcdef"
	sum, sum1 := md5.Sum([]byte(verifier)), sha1.Sum([]byte(verifier))
	head := little(uint32(4), uint32(0), uint32(0x6801), uint32(0x8004), uint32(128), uint32(1), uint32(0), uint32(0))
	weak := func(verifier, hash string) []byte {
		return []byte(little(uint16(1), uint16(1), uint16(1), salt, verifier, hash))
	}
	strong := func(verifier, hash string) []byte {
		return []byte(little(uint16(1), uint16(2), uint16(2), uint32(4), uint32(len(head)), head, uint32(16), salt, verifier, uint32(20), hash))
	}
	tests := []struct {
		name string
		pass func(verifier, hash string) []byte
		hash string
		key  func() []byte // of the first block
	}{
		{"basic", weak, string(sum[:]), func() []byte {
			first := md5.Sum([]byte(wide(xlsPassword)))
			second := md5.Sum([]byte(strings.Repeat(string(first[:5])+salt, 16)))
			key := md5.Sum([]byte(string(second[:5]) + "\x00\x00\x00\x00"))
			return key[:]
		}},
		{"strong", strong, string(sum1[:]), func() []byte {
			first := sha1.Sum([]byte(salt + wide(xlsPassword)))
			key := sha1.Sum([]byte(string(first[:]) + "\x00\x00\x00\x00"))
			return key[:16]
		}},
	}
	for _, tt := range tests {
		locked := decryptRC4(tt.key(), []byte(verifier+tt.hash))
		pass := tt.pass(string(locked[:16]), string(locked[16:]))
		var sheet strings.Builder
		for row := range 200 {
			sheet.WriteString(xlsRecord(xlsLabel, uint16(row), uint16(0), uint16(0), uint16(6), uint8(0), "Street"))
		}
		plain := xlsOf(xlsRecord(xlsFilePass, string(pass)), sheet.String())
		c, err := openCompound(strings.NewReader(plain), int64(len(plain)))
		if err != nil {
			t.Fatal(err)
		}
		stream := c.stream(0, "Workbook")
		if !unlockXLS(stream, pass) {
			t.Errorf("%s: the password does not open it", tt.name)
			continue
		}
		part := mustRead(t, "a.xls", compoundOf("Workbook", string(stream)))[0]
		if got := show(part); got != "[Sites]\n"+strings.Repeat("  Street|\n", 200) {
			t.Errorf("%s: got %.200s", tt.name, got)
		}
		pass[len(pass)-1]++
		if unlockXLS(stream, pass) {
			t.Errorf("%s: another password opens it", tt.name)
		}
	}
}
