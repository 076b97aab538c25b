package object

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
)

// method is how strings or streams are encrypted.
type method byte

const (
	plain method = iota
	methodRC4
	methodAES128 // with a key for each object
	methodAES256 // with the key of the file
)

// crypt decrypts a file.
type crypt struct {
	key      []byte
	methods  map[Name]method // of the crypt filters
	strings  method
	streams  method
	embedded method // embedded files
	metadata bool   // the metadata is encrypted
}

// startDecrypting prepares the decryption of a file whose trailer says that it is
// encrypted.
func (f *File) startDecrypting(trailer Dict) error {
	if trailer["Encrypt"] == nil || f.crypt != nil {
		return nil
	}
	dict, _ := f.Resolve(trailer["Encrypt"]).(Dict)
	if dict == nil {
		return ErrDamaged
	}
	d := make(Dict, len(dict))
	for key, value := range dict {
		d[key] = f.Resolve(value)
	}
	var id String
	if list, _ := f.Resolve(trailer["ID"]).(Array); len(list) > 0 {
		id, _ = f.Resolve(list[0]).(String)
	}
	c := &crypt{metadata: d["EncryptMetadata"] != false}
	version, _ := integer(d["V"])
	if d["Filter"] != Name("Standard") || !c.readMethods(f, d, version) {
		return ErrEncryption
	}
	if c.key = findKey(d, version, id, c.metadata); c.key == nil {
		return ErrPassword
	}
	f.crypt = c
	clear(f.objects) // the objects read so far have encrypted strings
	return nil
}

// readMethods reads the methods of a version. It returns false if the version is unknown.
func (c *crypt) readMethods(f *File, d Dict, version int) bool {
	switch version {
	case 1, 2, 3:
		c.strings, c.streams, c.embedded = methodRC4, methodRC4, methodRC4
		return true
	case 4, 5:
	default:
		return false
	}
	c.methods = map[Name]method{}
	filters, _ := d["CF"].(Dict)
	for name, o := range filters {
		filter, _ := f.Resolve(o).(Dict)
		switch f.Resolve(filter["CFM"]) {
		case Name("V2"):
			c.methods[name] = methodRC4
		case Name("AESV2"):
			c.methods[name] = methodAES128
		case Name("AESV3"):
			c.methods[name] = methodAES256
		}
	}
	named := func(key Name, standard method) method {
		if name, ok := d[key].(Name); ok {
			return c.methods[name] // Identity is none of them
		}
		return standard
	}
	c.strings, c.streams = named("StrF", plain), named("StmF", plain)
	c.embedded = named("EFF", c.streams)
	return true
}

// decryptStream decrypts the data of a stream with the filters and their parameters.
func (f *File) decryptStream(s *Stream, data []byte, filters []Name, parameters []Dict) []byte {
	if f.crypt == nil {
		return data
	}
	m := f.crypt.streams
	switch f.Resolve(s.Dict["Type"]) {
	case Name("XRef"):
		return data
	case Name("EmbeddedFile"):
		m = f.crypt.embedded
	case Name("Metadata"):
		if !f.crypt.metadata && f.crypt.methods != nil {
			return data
		}
	}
	for i, filter := range filters {
		if filter == "Crypt" {
			name, _ := f.Resolve(parameters[i]["Name"]).(Name)
			m = f.crypt.methods[name]
		}
	}
	return m.decrypt(f.crypt.objectKey(m, s.number, s.generation), data)
}

// objectKey returns the key of an object.
func (c *crypt) objectKey(m method, number, generation int) []byte {
	if m == plain || m == methodAES256 {
		return c.key
	}
	salted := append([]byte{}, c.key...)
	salted = append(salted, byte(number), byte(number>>8), byte(number>>16), byte(generation), byte(generation>>8))
	if m == methodAES128 {
		salted = append(salted, "sAlT"...)
	}
	sum := md5.Sum(salted)
	return sum[:min(len(c.key)+5, len(sum))]
}

// decrypt returns the decrypted data. It does not change its argument.
func (m method) decrypt(key, data []byte) []byte {
	switch m {
	case methodRC4:
		return rc4Of(key, data)
	case methodAES128, methodAES256:
		return decryptAES(key, data)
	}
	return data
}

func rc4Of(key, data []byte) []byte {
	stream, err := rc4.NewCipher(key)
	if err != nil {
		return nil
	}
	out := make([]byte, len(data))
	stream.XORKeyStream(out, data)
	return out
}

// decryptAES decrypts data that starts with its initialization vector and ends with a
// padding. An incomplete last block is skipped.
func decryptAES(key, data []byte) []byte {
	if len(data) < 2*aes.BlockSize {
		return nil
	}
	out := decryptBlocks(key, data[:aes.BlockSize], data[aes.BlockSize:])
	if n := len(out); n > 0 {
		if padding := int(out[n-1]); padding > 0 && padding <= aes.BlockSize {
			return out[:n-padding]
		}
	}
	return out
}

func decryptBlocks(key, vector, data []byte) []byte {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil
	}
	out := make([]byte, len(data)/aes.BlockSize*aes.BlockSize)
	cipher.NewCBCDecrypter(block, vector).CryptBlocks(out, data[:len(out)])
	return out
}

// findKey returns the key of a file that opens with an empty user password; nil if the
// file needs another password.
func findKey(d Dict, version int, id []byte, metadata bool) []byte {
	owner, _ := d["O"].(String)
	user, _ := d["U"].(String)
	revision, _ := integer(d["R"])
	permissions, _ := integer(d["P"])
	if version == 5 {
		encrypted, _ := d["UE"].(String)
		return findKey256(revision, user, encrypted)
	}
	if len(user) < 16 {
		return nil
	}
	start := append([]byte(padding), owner[:min(len(owner), 32)]...)
	start = binary.LittleEndian.AppendUint32(start, uint32(permissions))
	start = append(start, id...)
	if revision >= 4 && !metadata {
		start = append(start, 0xff, 0xff, 0xff, 0xff)
	}
	length, _ := integer(d["Length"])
	lengths := []int{length / 8, length, 16, 5} // some writers count bytes
	if version == 1 {
		lengths = []int{5}
	}
	for _, n := range lengths {
		if n < 5 || n > 16 {
			continue
		}
		sum := md5.Sum(start)
		for range 50 {
			if revision >= 3 {
				sum = md5.Sum(sum[:n])
			}
		}
		if key := sum[:n]; opens(key, user, id, revision) {
			return key
		}
	}
	return nil
}

// padding is appended to a password, even to an empty one.
const padding = "\x28\xbf\x4e\x5e\x4e\x75\x8a\x41\x64\x00\x4e\x56\xff\xfa\x01\x08\x2e\x2e\x00\xb6\xd0\x68\x3e\x80\x2f\x0c\xa9\xfe\x64\x53\x69\x7a"

// opens reports whether a key is the key of the file, according to the entry U.
func opens(key, user, id []byte, revision int) bool {
	if revision < 3 {
		return string(rc4Of(key, []byte(padding))) == string(user[:min(len(user), 32)])
	}
	sum := md5.Sum(append([]byte(padding), id...))
	proof := sum[:]
	turned := make([]byte, len(key))
	for i := range byte(20) {
		for j := range key {
			turned[j] = key[j] ^ i
		}
		proof = rc4Of(turned, proof)
	}
	return string(proof) == string(user[:16])
}
