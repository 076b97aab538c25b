package hooks

import (
	"fmt"
	"testing"
	"time"

	"understudy.example/internal/hooks/delivery"
)

// TestProbeSlots checks how many probes run at a time, of one tenant and in all, and that
// each ends.
func TestProbeSlots(t *testing.T) {
	p := NewProber(NewSender(Network{}, Signature{}), time.Now)
	for i := range delivery.MaxPerReceiver {
		tenant := fmt.Sprint("tenant ", i/maxTenantProbes)
		if !p.begin(tenant) {
			t.Errorf("%s cannot begin probe %d", tenant, i%maxTenantProbes)
		}
		if i%maxTenantProbes == 1 && p.begin(tenant) {
			t.Errorf("%s can begin a third probe", tenant)
		}
	}
	if p.begin("another") {
		t.Error("a tenant can begin a probe while all slots are in use")
	}
	p.end("tenant 0")
	if !p.begin("another") {
		t.Error("a tenant cannot begin a probe while a slot is free")
	}
	if len(p.running) != 5 {
		t.Errorf("running probes: %v", p.running)
	}
	if p.Timeout() != time.Minute || probeResponseTimeout != 10*time.Second {
		t.Errorf("a probe takes %s, and %s without a response", p.Timeout(), probeResponseTimeout)
	}
}
