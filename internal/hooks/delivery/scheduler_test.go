package delivery

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"
)

// deliveriesFor returns n claimed deliveries of a subscription.
func deliveriesFor(hookID uuid.UUID, n int) []claimed {
	deliveries := make([]claimed, n)
	for i := range deliveries {
		deliveries[i] = claimed{HookID: hookID, TenantID: hookID, ID: uuid.New()}
	}
	return deliveries
}

// addClaimed adds deliveries without faults.
func (s *scheduler) addClaimed(taken []claimed, receivers map[uuid.UUID]string) {
	s.reserve(taken, nil, receivers)
	s.add(taken)
}

// startAll starts every delivery that can start, and returns the slots.
func (s *scheduler) startAll() (slots []slot) {
	for {
		_, used, ok := s.next()
		if !ok {
			return slots
		}
		slots = append(slots, used)
	}
}

// TestHangingReceiversBlockNobody takes all slots with receivers that hang: a
// subscription without a delivery in flight can still start one.
func TestHangingReceiversBlockNobody(t *testing.T) {
	t.Parallel()
	s := newScheduler()
	start := func(hookID uuid.UUID, receiver string, n int) []slot {
		s.addClaimed(deliveriesFor(hookID, n), map[uuid.UUID]string{hookID: receiver})
		return s.startAll()
	}
	var hanging uuid.UUID
	for i := range maxInFlight / MaxPerReceiver {
		hanging = uuid.New()
		if n := len(start(hanging, "hangs "+string(rune('a'+i)), 20)); n != MaxPerReceiver {
			t.Fatalf("a subscription uses %d slots, want %d", n, MaxPerReceiver)
		}
	}
	if s.inFlight != maxInFlight {
		t.Fatalf("%d slots are used, want all %d", s.inFlight, maxInFlight)
	}
	if n := len(start(hanging, "", 5)); n != 0 {
		t.Errorf("a subscription with %d deliveries in flight started %d more", MaxPerReceiver, n)
	}
	// One at a time, to a receiver that hangs as well as to another.
	for _, receiver := range []string{"responds", "hangs a"} {
		hookID := uuid.New()
		for range 3 {
			slots := start(hookID, receiver, 2)
			if len(slots) != 1 || slots[0].backlog.hookID != hookID {
				t.Fatalf("%d deliveries to %q started, want 1", len(slots), receiver)
			}
			s.free(slots[0])
			_, used, ok := s.next()
			if !ok || used.backlog.hookID != hookID {
				t.Fatalf("the next delivery to %q did not start", receiver)
			}
			s.free(used)
		}
	}
}

// TestReplacedSubscriptionsShareTheirTenantsSlots replaces subscriptions whose receivers
// hang again and again: the deliveries of their tenant in flight are limited, others are
// not affected, and a slot that is freed is used.
func TestReplacedSubscriptionsShareTheirTenantsSlots(t *testing.T) {
	t.Parallel()
	s := newScheduler()
	tenantID := uuid.New()
	var slots []slot
	for i := range 2 * maxPerTenant {
		hookID := uuid.New()
		one := deliveriesFor(hookID, 1)
		one[0].TenantID = tenantID
		s.addClaimed(one, map[uuid.UUID]string{hookID: "hangs " + string(rune('a'+i%20))})
		slots = append(slots, s.startAll()...)
	}
	if len(slots) != maxPerTenant {
		t.Errorf("%d deliveries of a tenant in flight, want %d", len(slots), maxPerTenant)
	}
	other := uuid.New()
	s.addClaimed(deliveriesFor(other, 1), map[uuid.UUID]string{other: "responds"})
	if n := len(s.startAll()); n != 1 {
		t.Errorf("%d deliveries of another tenant started, want 1", n)
	}
	for i := 0; i < len(slots); i++ {
		s.free(slots[i])
		slots = append(slots, s.startAll()...)
	}
	if len(slots) != 2*maxPerTenant || len(s.tenants) != 1 {
		t.Errorf("%d deliveries started in the end, want %d; %d tenants have deliveries in flight, want 1", len(slots), 2*maxPerTenant, len(s.tenants))
	}
}

// TestLargeBodiesInFlightAreLimited sends large events to many receivers that hang: their
// bodies use limited memory, small events are not affected, and a subscription without a
// delivery in flight can start a large one.
func TestLargeBodiesInFlightAreLimited(t *testing.T) {
	t.Parallel()
	const size = 256 << 10
	s := newScheduler()
	start := func(receiver string, n, bytes int) []slot {
		hookID := uuid.New()
		deliveries := deliveriesFor(hookID, n)
		for i := range deliveries {
			deliveries[i].LargeBytes = bytes
		}
		s.addClaimed(deliveries, map[uuid.UUID]string{hookID: receiver})
		return s.startAll()
	}
	var hanging []slot
	for i := range 32 {
		hanging = append(hanging, start("hangs "+string(rune('a'+i)), MaxPerReceiver, size)...)
	}
	if s.bytes > maxLargeBytes+32*size {
		t.Errorf("%d deliveries with bodies of %d bytes are in flight, want at most %d bytes and one body per subscription", len(hanging), s.bytes, maxLargeBytes)
	}
	if n := len(start("responds", MaxPerReceiver, 0)); n != MaxPerReceiver {
		t.Errorf("%d small deliveries started, want %d", n, MaxPerReceiver)
	}
	if n := len(start("also responds", MaxPerReceiver, size)); n != 1 {
		t.Errorf("%d large deliveries of another subscription started, want 1", n)
	}
	for i := 0; i < len(hanging); i++ { // each free slot lets others start
		s.free(hanging[i])
		hanging = append(hanging, s.startAll()...)
	}
	if want := 32*MaxPerReceiver + MaxPerReceiver - 1; len(hanging) != want {
		t.Errorf("%d deliveries started in the end, want %d", len(hanging), want)
	}
}

// TestEveryDeliveryStartsOnce adds, starts and ends deliveries at random, and
// checks the limits meanwhile.
func TestEveryDeliveryStartsOnce(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	s := newScheduler()
	hooks, names := make([]uuid.UUID, 40), []string{"a", "b", "c", "d", "e", "f"}
	receivers := map[uuid.UUID]string{}
	for i := range hooks {
		hooks[i] = uuid.New()
		receivers[hooks[i]] = names[random.IntN(len(names))]
	}
	waiting := map[uuid.UUID]bool{}
	var slots []slot
	start := func() {
		for {
			delivery, used, ok := s.next()
			if !ok {
				return
			}
			if !waiting[delivery.ID] {
				t.Fatal("a delivery started twice")
			}
			delete(waiting, delivery.ID)
			slots = append(slots, used)
			for _, receiver := range s.receivers {
				if receiver.inFlight > MaxPerReceiver+receiver.backlogs {
					t.Fatalf("%d deliveries to a receiver with %d subscriptions are in flight", receiver.inFlight, receiver.backlogs)
				}
			}
		}
	}
	end := func() {
		i := random.IntN(len(slots))
		s.free(slots[i])
		slots = append(slots[:i], slots[i+1:]...)
		start()
	}
	for range 5000 {
		hookID := hooks[random.IntN(len(hooks))]
		switch random.IntN(8) {
		case 0:
			deliveries := deliveriesFor(hookID, 1+random.IntN(30))
			for i := range deliveries {
				waiting[deliveries[i].ID] = true
				deliveries[i].LargeBytes = random.IntN(2) * maxLargeBytes / 10
			}
			s.addClaimed(deliveries, receivers)
			start()
		case 1:
			s.quotas(time.Now())
		default:
			if len(slots) > 0 {
				end()
			}
		}
	}
	for len(slots) > 0 {
		end()
	}
	if len(waiting) > 0 {
		t.Errorf("%d deliveries never started", len(waiting))
	}
	for range 10 { // until the capacity of each backlog has shrunk
		s.quotas(time.Now())
	}
	if len(s.backlogs) != 0 || len(s.receivers) != 0 || s.inFlight != 0 || s.bytes != 0 {
		t.Errorf("%d backlogs, %d receivers, %d deliveries and %d bytes in flight are left", len(s.backlogs), len(s.receivers), s.inFlight, s.bytes)
	}
}

// TestAssignToAnotherReceiver changes the receiver of a subscription while its
// deliveries are in flight.
func TestAssignToAnotherReceiver(t *testing.T) {
	t.Parallel()
	s, hookID := newScheduler(), uuid.New()
	s.addClaimed(deliveriesFor(hookID, 20), map[uuid.UUID]string{hookID: "old"})
	slots := s.startAll()
	s.assign(s.backlogs[hookID], "new")
	moved := s.startAll()
	if len(moved) != MaxPerReceiver {
		t.Errorf("%d deliveries to the new receiver started, want %d", len(moved), MaxPerReceiver)
	}
	for _, used := range moved {
		if used.receiver.name != "new" {
			t.Fatalf("a delivery to the receiver %q started", used.receiver.name)
		}
	}
	for _, used := range append(slots, moved...) {
		s.free(used)
	}
	if len(s.receivers) != 1 || s.receivers["new"].inFlight != 0 || s.inFlight != 0 {
		t.Errorf("receivers %v, %d deliveries in flight are left", s.receivers, s.inFlight)
	}
}

// TestManySubscriptionsShareQuota checks that a server holds few deliveries for a tenant with many subscriptions, whose
// receivers may all hang.
func TestManySubscriptionsShareQuota(t *testing.T) {
	t.Parallel()
	s, tenantID := newScheduler(), uuid.New()
	var taken []claimed
	for range 8 * maxShared {
		delivery := deliveriesFor(uuid.New(), 1)[0]
		delivery.TenantID = tenantID
		taken = append(taken, delivery)
	}
	s.addClaimed(taken, nil)
	var quotas map[uuid.UUID]int
	for range 10 { // until the capacity of each backlog has shrunk
		quotas = s.quotas(time.Now())
	}
	held := len(taken)
	for _, quota := range quotas {
		held += quota
	}
	if want := maxShared * defaultQuota; held != want {
		t.Errorf("the server may hold %d deliveries of the tenant, want %d", held, want)
	}
	alone := deliveriesFor(uuid.New(), 1)
	s.addClaimed(alone, nil)
	if got := s.quotas(time.Now())[alone[0].HookID]; got != defaultQuota-1 {
		t.Errorf("quota %d of the only subscription of a tenant, want %d", got, defaultQuota-1)
	}
}
