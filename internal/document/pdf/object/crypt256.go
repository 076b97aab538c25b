package object

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"crypto/sha512"
)

// findKey256 returns the key of a file with AES-256, given the entries U and UE; nil if the
// empty user password does not open it.
func findKey256(revision int, user, encrypted []byte) []byte {
	if len(user) < 48 || len(encrypted) < 32 {
		return nil
	}
	proof, validation, salt := user[:32], user[32:40], user[40:48]
	hash := hashRevision6
	if revision < 6 {
		hash = func(salt []byte) []byte {
			sum := sha256.Sum256(salt)
			return sum[:]
		}
	}
	if !bytes.Equal(hash(validation), proof) {
		return nil
	}
	return decryptBlocks(hash(salt), make([]byte, aes.BlockSize), encrypted[:32])
}

// hashRevision6 is the hash of an empty user password (ISO 32000-2, algorithm 2.B).
func hashRevision6(salt []byte) []byte {
	first := sha256.Sum256(salt)
	key := first[:]
	for round := 0; ; round++ {
		data := bytes.Repeat(key, 64)
		block, err := aes.NewCipher(key[:16])
		if err != nil {
			return nil
		}
		cipher.NewCBCEncrypter(block, key[16:32]).CryptBlocks(data, data)
		rest := 0
		for _, c := range data[:16] {
			rest += int(c)
		}
		switch rest % 3 { // equals the 16 bytes, read as one number, modulo 3
		case 0:
			sum := sha256.Sum256(data)
			key = sum[:]
		case 1:
			sum := sha512.Sum384(data)
			key = sum[:]
		case 2:
			sum := sha512.Sum512(data)
			key = sum[:]
		}
		if round >= 63 && int(data[len(data)-1]) <= round-31 {
			return key[:32]
		}
	}
}
