package office_test

import (
	"crypto/md5"
	"crypto/sha1"
	"strings"
	"testing"

	"understudy.example/internal/document/compound"
	"understudy.example/internal/document/documenttest"
	"understudy.example/internal/document/office"
)

// TestDecryptXLS encrypts a workbook with the default password of Excel, in both
// forms of encryption, and reads it. The cipher is its own inverse, so that
// decryption also encrypts.
func TestDecryptXLS(t *testing.T) {
	salt := strings.Repeat("s", 16)
	verifier := "0123456789abcdef"
	sum, sum1 := md5.Sum([]byte(verifier)), sha1.Sum([]byte(verifier))
	head := documenttest.Bytes(uint32(4), uint32(0), uint32(0x6801), uint32(0x8004), uint32(128), uint32(1), uint32(0), uint32(0))
	weak := func(verifier, hash string) []byte {
		return []byte(documenttest.Bytes(uint16(1), uint16(1), uint16(1), salt, verifier, hash))
	}
	strong := func(verifier, hash string) []byte {
		return []byte(documenttest.Bytes(uint16(1), uint16(2), uint16(2), uint32(4), uint32(len(head)), head, uint32(16), salt, verifier, uint32(20), hash))
	}
	tests := []struct {
		name string
		pass func(verifier, hash string) []byte
		hash string
		key  func() []byte // of the first block
	}{
		{"basic", weak, string(sum[:]), func() []byte {
			first := md5.Sum([]byte(documenttest.UTF16(office.XLSPassword)))
			second := md5.Sum([]byte(strings.Repeat(string(first[:5])+salt, 16)))
			key := md5.Sum([]byte(string(second[:5]) + "\x00\x00\x00\x00"))
			return key[:]
		}},
		{"strong", strong, string(sum1[:]), func() []byte {
			first := sha1.Sum([]byte(salt + documenttest.UTF16(office.XLSPassword)))
			key := sha1.Sum([]byte(string(first[:]) + "\x00\x00\x00\x00"))
			return key[:16]
		}},
	}
	for _, tt := range tests {
		locked := office.DecryptRC4(tt.key(), []byte(verifier+tt.hash))
		pass := tt.pass(string(locked[:16]), string(locked[16:]))
		var sheet strings.Builder
		for row := range 200 {
			sheet.WriteString(xlsRecord(office.XLSLabel, uint16(row), uint16(0), uint16(0), uint16(6), uint8(0), "Street"))
		}
		plain := xlsOf(xlsRecord(office.XLSFilePass, string(pass)), sheet.String())
		c, err := compound.Open(strings.NewReader(plain), int64(len(plain)))
		if err != nil {
			t.Fatal(err)
		}
		stream := c.Stream(compound.Root, "Workbook")
		if !office.DecryptXLS(stream, pass) {
			t.Errorf("%s: the default password does not open it", tt.name)
			continue
		}
		part := documenttest.MustRead(t, "a.xls", documenttest.Compound("Workbook", string(stream)))[0]
		if got := documenttest.Show(part); got != "[Sites]\n"+strings.Repeat("  Street|\n", 200) {
			t.Errorf("%s: got %.200s", tt.name, got)
		}
		pass[len(pass)-1]++
		if office.DecryptXLS(stream, pass) {
			t.Errorf("%s: another password opens it", tt.name)
		}
	}
}
