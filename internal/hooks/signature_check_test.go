package hooks

import (
	"strings"
	"testing"
)

// TestSignatureVariantsAreBounded checks that no body is compared with encodings that are much
// larger than itself.
func TestSignatureVariantsAreBounded(t *testing.T) {
	nested := func(depth, values int, end string) []byte {
		return []byte(strings.Repeat("[", depth) + strings.Repeat("1,", values) + "1" + strings.Repeat(end, depth))
	}
	for name, body := range map[string][]byte{
		"deep":               nested(9_000, 100, "]"),
		"cut off":            nested(9_000, 100, ""),
		"many values":        nested(1, 490_000, "]"),
		"large":              []byte(`"` + strings.Repeat("é", maxExplained/2) + `"`),
		"as deep as allowed": nested(20, 9_000, "]"),
	} {
		total := 0
		for _, v := range bodyVariants(body) {
			total += len(v.value)
		}
		if limit := 20*len(body) + 4<<20; total > limit {
			t.Errorf("%s: the variants of %d bytes have %d bytes, want at most %d", name, len(body), total, limit)
		}
	}
	for values, want := range map[int]int{9_999: 10, 10_000: 0} {
		if got := len(reserialised(nested(1, values, "]"))); got != want {
			t.Errorf("%d values and one: %d encodings, want %d", values, got, want)
		}
	}
}

// TestLargeSignedBodiesAreNotExplained checks that the digest is checked for mistakes only if
// body and secret are not large, and that the signature of a large body can still be valid.
func TestLargeSignedBodiesAreNotExplained(t *testing.T) {
	const secret = "s3cret"
	format := Signature{}
	for size, want := range map[int]string{
		maxExplained - len(secret):     "A newline was added to the secret.",
		maxExplained - len(secret) + 1: "it is unknown whether a usual mistake explains the digest.",
	} {
		body := []byte(strings.Repeat("a", size))
		got := CheckSignature(format, secret, body, format.Sign(secret+"\n", body))
		if got.Valid || !strings.HasSuffix(got.Cause, want) {
			t.Errorf("%d bytes: cause %q, want %q", size, got.Cause, want)
		}
		if right := CheckSignature(format, secret, body, got.Expected); !right.Valid || right.Cause != "" {
			t.Errorf("%d bytes with the right signature: %+v", size, right)
		}
	}
}
