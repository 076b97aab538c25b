package object

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// revision is an encryption dictionary that qpdf made for an empty user password, with
// the key that qpdf shows for it.
type revision struct {
	name, key, dict string
	cipher          method
	plainMetadata   bool
}

// identity is the first part of the ID of the documents.
const identity = "000102030405060708090a0b0c0d0e0f"

var revisions = []revision{
	{"R2, RC4 with 40 bits", "1f26e168ec", "/Length 40/O<c92422687facee686e373f10b5c7d04738053152f7e2ee30e11c69ec442576ab>/P -4/R 2/U<19794f9d50ebc9182f8a72bb20274501272fe2bee8bbe219d98cb9360ba26be1>/V 1", methodRC4, false},
	{"R3, RC4 with 128 bits", "4a073d1bb0185461d2e36201b058eae5", "/Length 128" + owner128 + "/P -4/R 3/U<36abf419f6a4696788160b0259a1f80c0122456a91bae5134273a6db134c87c4>/V 2", methodRC4, false},
	{"R3, length in bytes, unsigned permissions", "4a073d1bb0185461d2e36201b058eae5", "/Length 16" + owner128 + "/P 4294967292/R 3/U<36abf419f6a4696788160b0259a1f80c0122456a91bae5134273a6db134c87c4>/V 2", methodRC4, false},
	{"R4, RC4", "4a073d1bb0185461d2e36201b058eae5", "/CF<</StdCF<</CFM/V2/Length 16>>>>/StmF/StdCF/StrF/StdCF/Length 128" + owner128 + "/P -4/R 4/U<36abf419f6a4696788160b0259a1f80c0122456a91bae5134273a6db134c87c4>/V 4", methodRC4, false},
	{"R4, AES-128", "4a073d1bb0185461d2e36201b058eae5", "/CF<</StdCF<</CFM/AESV2/Length 16>>>>/StmF/StdCF/StrF/StdCF" + owner128 + "/P -4/R 4/U<36abf419f6a4696788160b0259a1f80c0122456a91bae5134273a6db134c87c4>/V 4", methodAES128, false},
	{"R4, AES-128, plain metadata", "b91fc5745116393633d33cc2b18ef2e3", "/CF<</StdCF<</CFM/AESV2/Length 16>>>>/StmF/StdCF/StrF/StdCF/EncryptMetadata false" + owner128 + "/P -4/R 4/U<cf35f9992f284ce58a24912b1af100910122456a91bae5134273a6db134c87c4>/V 4", methodAES128, true},
	{"R5, AES-256", "2e4791d55ff7f6870146228ac603f4a21d3e2e068cdf99b8cfeb57369c378392", "/CF<</StdCF<</CFM/AESV3/Length 32>>>>/StmF/StdCF/StrF/StdCF/P -4/R 5/U<40508b116759095a4ec0d8be0664836c7745f4bfe8a7741ad19c7493835a41d666e72554c1c418e6279683bcf94c1634>/UE<228e1caeda7b80d58b618bfed71006703bc4bb2111562dd389f1281fef3dd639>/V 5", methodAES256, false},
	{"R6, AES-256", "e431494dac21e39e0953669f7f5018c57d45008dc4ab5d181af41357583b3aa1", "/CF<</StdCF<</CFM/AESV3/Length 32>>>>/StmF/StdCF/StrF/StdCF/P -4/R 6/U<a789d721b0de5a6745da6b2fc561621af01dd2a95e8d9ec4fda0cec0bdbf737785084a23de0c3e497458f8ee2277c1a7>/UE<f2add283431aaade70c2d122cd0e4cbf37c31c4677704b25b33e11c724a67a1d>/V 5", methodAES256, false},
	{"R6, AES-256, plain metadata", "3461649f4a482c98a46fadab67cfbe5c646c597931bbdd426c2d2c46b0645126", "/CF<</StdCF<</CFM/AESV3/Length 32>>>>/StmF/StdCF/StrF/StdCF/EncryptMetadata false/P -4/R 6/U<27ab0230cba89c8a318abab48fb168f165f8858412d3c2a9ba2b32fb668854ff151af110713b3c8b02f9d73a06f31588>/UE<22d396390f6e4a36ef1bc02a7fdb8bbf5e2a7dfde39c62362a0a39127c09f76b>/V 5", methodAES256, true},
}

const owner128 = "/O<566fa873ee33c797cd3b904fdadf814afa34df9a38f6ed41b984e2c6da2aa6f5>"

// encrypt encrypts data of the object with a number.
func (r revision) encrypt(number byte, data string) string {
	key, err := hex.DecodeString(r.key)
	if err != nil {
		panic(err)
	}
	salt := ""
	if r.cipher == methodAES128 {
		salt = "sAlT"
	}
	if r.cipher != methodAES256 {
		sum := md5.Sum([]byte(string(key) + string([]byte{number, 0, 0, 0, 0}) + salt))
		key = sum[:min(len(key)+5, 16)]
	}
	if r.cipher == methodRC4 {
		c, err := rc4.NewCipher(key)
		if err != nil {
			panic(err)
		}
		out := make([]byte, len(data))
		c.XORKeyStream(out, []byte(data))
		return string(out)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	vector := bytes.Repeat([]byte{7}, aes.BlockSize)
	rest := aes.BlockSize - len(data)%aes.BlockSize
	padded := append([]byte(data), bytes.Repeat([]byte{byte(rest)}, rest)...)
	cipher.NewCBCEncrypter(block, vector).CryptBlocks(padded, padded)
	return string(vector) + string(padded)
}

// document returns a document with an encrypted string (3), a stream with a string in its
// dictionary (4), metadata (5), and a stream that says that it is plain (6).
func (r revision) document() string {
	metadata := "metadata"
	if !r.plainMetadata {
		metadata = r.encrypt(5, metadata)
	}
	return build("/Encrypt 7 0 R/ID[<"+identity+"><00>]", catalog, pages,
		fmt.Sprintf("[<%x>]", r.encrypt(3, "secret")),
		stream(fmt.Sprintf("/A<</B<%x>>>", r.encrypt(4, "inner")), r.encrypt(4, strings.Repeat("data", 10))),
		stream("/Type/Metadata", metadata),
		stream("/Filter[/Crypt]/DecodeParms<</Name/Identity>>", "plain"),
		"<</Filter/Standard"+r.dict+">>")
}

func TestEncryption(t *testing.T) {
	for _, r := range revisions {
		f := open(t, r.document())
		if got := hex.EncodeToString(f.crypt.key); got != r.key {
			t.Errorf("%s: the key is %s, want %s", r.name, got, r.key)
		}
		list, _ := f.Resolve(Ref{Number: 3}).(Array)
		if len(list) != 1 || string(list[0].(String)) != "secret" {
			t.Errorf("%s: got the string %q", r.name, list)
		}
		s, _ := f.Resolve(Ref{Number: 4}).(*Stream)
		if inner := s.Dict["A"].(Dict)["B"].(String); string(inner) != "inner" {
			t.Errorf("%s: got %q in a dictionary", r.name, inner)
		}
		for number, want := range map[int]string{4: strings.Repeat("data", 10), 5: "metadata"} {
			if got := decoded(t, f, number); got != want {
				t.Errorf("%s: got %q, want %q", r.name, got, want)
			}
		}
		if got := decoded(t, f, 6); f.crypt.methods != nil && got != "plain" {
			t.Errorf("%s: got %q from a plain stream", r.name, got)
		}
	}
}

// TestEncryptionByMethod checks that strings, streams and embedded files can be encrypted
// differently.
func TestEncryptionByMethod(t *testing.T) {
	r := revisions[4]
	dict := strings.Replace(r.dict, "/StmF/StdCF/StrF/StdCF", "/StmF/Identity/StrF/StdCF/EFF/StdCF", 1)
	f := open(t, build("/Encrypt<</Filter/Standard"+dict+">>/ID[<"+identity+">]", catalog, pages,
		fmt.Sprintf("<%x>", r.encrypt(3, "secret")), stream("", "plain"), stream("/Type/EmbeddedFile", r.encrypt(5, "file"))))
	if s := f.Resolve(Ref{Number: 3}).(String); string(s) != "secret" {
		t.Errorf("got the string %q", s)
	}
	if a, b := decoded(t, f, 4), decoded(t, f, 5); a != "plain" || b != "file" {
		t.Errorf("got %q and %q", a, b)
	}
}

// TestEncryptedContainer checks that strings in an encrypted container are not decrypted
// twice, and that a damaged file can be decrypted.
func TestEncryptedContainer(t *testing.T) {
	r := revisions[7]
	document := build("/Encrypt<</Filter/Standard"+r.dict+">>/ID[<"+identity+">]", catalog, pages, stream("/Type/ObjStm/N 1/First 4", r.encrypt(3, "9 0 (inside)")))
	damaged := strings.Replace(document, "startxref\n", "startxref\n9", 1)
	for _, document := range []string{damaged, damaged + "trailer<</Root 1 0 R/Encrypt 99 0 R>>"} {
		if s, _ := open(t, document).Resolve(Ref{Number: 9}).(String); string(s) != "inside" {
			t.Errorf("got %q", s)
		}
	}
}

func TestEncryptionRefused(t *testing.T) {
	tests := []struct {
		name, dict string
		want       error
	}{
		{"another password", strings.Replace(revisions[0].dict, "/U<19", "/U<18", 1), ErrPassword},
		{"another password, R4", strings.Replace(revisions[4].dict, "/U<36", "/U<37", 1), ErrPassword},
		{"another password, R6", strings.Replace(revisions[7].dict, "/U<a7", "/U<a8", 1), ErrPassword},
		{"no proof", "/V 2/R 3", ErrPassword},
		{"no proof, R6", "/V 5/R 6", ErrPassword},
		{"unknown version", "/V 9/R 3", ErrEncryption},
		{"another handler", "/Filter/Own/V 2/R 3", ErrEncryption},
	}
	for _, tt := range tests {
		_, err := Open([]byte(build("/Encrypt<</Filter/Standard"+tt.dict+">>/ID[<"+identity+">]", catalog, pages)))
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.want)
		}
	}
}
