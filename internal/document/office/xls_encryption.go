package office

import (
	"bytes"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha1"
	"encoding/binary"
	"unicode/utf16"

	"understudy.example/internal/document/compound"
)

// xlsPassword encrypts workbooks whose structure is protected but which anyone
// may open: Excel tries it before it asks for one.
const xlsPassword = "VelvetSweatshop"

// decryptXLS decrypts the records of a stream in place, given the content of its
// FILEPASS record (MS-XLS 2.2.10, MS-OFFCRYPTO 2.3.5 and 2.3.6). It reports
// whether xlsPassword opens the workbook.
func decryptXLS(stream, pass []byte) bool {
	key := xlsKey(pass)
	if key == nil {
		return false
	}
	in := &xlsRecords{data: stream}
	var cipher *rc4.Cipher
	block, done := -1, 0 // bytes used of the key stream of the block
	scratch := make([]byte, 1024)
	for {
		kind, body, ok := in.next()
		if !ok {
			return true
		}
		at := in.at - len(body)
		plain := 0 // bytes at the start that are not encrypted
		switch kind {
		case xlsBOF, xlsFilePass, 0xe1, 0xe2, 0x194, 0x195, 0x196, 0x138:
			continue // never encrypted
		case xlsBoundSheet:
			plain = min(4, len(body)) // the position of the sheet
		}
		for body, at = body[plain:], at+plain; len(body) > 0; {
			if at/1024 != block {
				block, done = at/1024, 0
				cipher, _ = rc4.NewCipher(key(block))
			}
			if skip := at%1024 - done; skip > 0 {
				cipher.XORKeyStream(scratch[:skip], scratch[:skip])
			}
			n := min(len(body), 1024-at%1024)
			cipher.XORKeyStream(body[:n], body[:n])
			done = at%1024 + n
			body, at = body[n:], at+n
		}
	}
}

// xlsKey returns a function that returns the key of each block of 1,024 bytes;
// nil when another password or an unknown method encrypts the workbook.
func xlsKey(pass []byte) func(block int) []byte {
	var password []byte
	for _, u := range utf16.Encode([]rune(xlsPassword)) {
		password = binary.LittleEndian.AppendUint16(password, u)
	}
	if len(pass) < 54 || compound.Uint16(pass, 0) != 1 {
		return nil
	}
	if compound.Uint16(pass, 2) == 1 {
		first := md5.Sum(password)
		second := md5.Sum(bytes.Repeat(append(first[:5:5], pass[6:22]...), 16))
		key := func(block int) []byte {
			sum := md5.Sum(binary.LittleEndian.AppendUint32(second[:5:5], uint32(block)))
			return sum[:]
		}
		verifier := decryptRC4(key(0), pass[22:54])
		if sum := md5.Sum(verifier[:16]); !bytes.Equal(sum[:], verifier[16:]) {
			return nil
		}
		return key
	}
	return xlsStrongKey(pass, password)
}

// xlsStrongKey is xlsKey for the later form of encryption, whose header states
// the length of the key.
func xlsStrongKey(pass, password []byte) func(block int) []byte {
	head := compound.Slice(pass, 14, compound.Uint32(pass, 10))
	check := compound.Slice(pass, 14+compound.Uint32(pass, 10), 60)
	if compound.Uint16(pass, 2) > 4 || compound.Uint16(pass, 4) != 2 || len(head) < 20 || len(check) < 60 || compound.Uint32(head, 8) != 0x6801 {
		return nil
	}
	bits := int(compound.Uint32(head, 16))
	if bits == 0 {
		bits = 40
	}
	if bits < 40 || bits > 128 {
		return nil
	}
	first := sha1.Sum(append(check[4:20:20], password...))
	key := func(block int) []byte {
		sum := sha1.Sum(binary.LittleEndian.AppendUint32(first[:len(first):len(first)], uint32(block)))
		if bits == 40 {
			return append(sum[:5:5], make([]byte, 11)...)
		}
		return sum[:bits/8]
	}
	verifier := decryptRC4(key(0), append(check[20:36:36], check[40:60]...))
	if sum := sha1.Sum(verifier[:16]); !bytes.Equal(sum[:], verifier[16:]) {
		return nil
	}
	return key
}

func decryptRC4(key, in []byte) []byte {
	out := make([]byte, len(in))
	cipher, err := rc4.NewCipher(key)
	if err == nil {
		cipher.XORKeyStream(out, in)
	}
	return out
}
