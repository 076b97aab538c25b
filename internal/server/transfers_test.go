package server_test

import (
	"strings"
	"testing"

	"understudy.example/internal/server"
	"understudy.example/internal/server/servertest"
)

// TestMinTransferRate checks the minimum rate of each profile, and that the flag takes
// precedence.
func TestMinTransferRate(t *testing.T) {
	servertest.Proves(t, "Chosen, process: the minimum rate of transfers is off in local and 1 KB/s in uat")
	t.Parallel()
	none, some := int64(0), int64(500)
	for _, test := range []struct {
		profile string
		flag    *int64
		want    int64
	}{{"local", nil, 0}, {"uat", nil, 1024}, {"uat", &none, 0}, {"local", &some, 500}} {
		c := server.Config{Profile: test.profile, MinTransferRate: test.flag}
		if got := c.Transfers().Rate; got != test.want {
			t.Errorf("%s: %d bytes per second, want %d", test.profile, got, test.want)
		}
	}
}

// TestNegativeLimitsAreRefused checks that limits below 0 keep the server from
// starting.
func TestNegativeLimitsAreRefused(t *testing.T) {
	t.Parallel()
	for flag, want := range map[string]string{
		"--min-transfer-rate=-1":           "MIN_TRANSFER_RATE is -1",
		"--max-connections-per-address=-1": "MAX_CONNECTIONS_PER_ADDRESS is -1",
		"--min-free-bytes=-1":              "MIN_FREE_BYTES is -1",
	} {
		if output := servertest.Refusal(t, flag, "--data-dir", t.TempDir()); !strings.Contains(output, want) {
			t.Errorf("%s: output %s, want %q", flag, output, want)
		}
	}
}
