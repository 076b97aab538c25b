package api_test

import (
	"strings"
	"testing"

	"understudy.example/internal/api"
)

// TestLoggedPathIsShort checks that a path is masked and then cut, so that no client makes the log grow quickly.
func TestLoggedPathIsShort(t *testing.T) {
	t.Parallel()
	same := func(text string) string { return text }
	if got := api.LoggedPath("/hooks/a", same); got != "/hooks/a" {
		t.Errorf("a short path becomes %q", got)
	}
	if got := api.LoggedPath("/"+strings.Repeat("ü", 8_000), same); len(got) > 510 || !strings.HasSuffix(got, "ü…") {
		t.Errorf("a long path becomes %q", got)
	}
	secret := "MaAAY4XYNFkHsyE2F1t6gw4Okw_9l4dmjsz_oXEQrgw"
	if got := api.LoggedPath("/"+strings.Repeat("/", 470)+secret, api.Mask); strings.Contains(got, secret[:20]) {
		t.Errorf("a secret at the end is cut before it is masked: %q", got)
	}
}
