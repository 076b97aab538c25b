package delivery

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"
)

// waiting is n deliveries for a subscription.
func waiting(hook uuid.UUID, n int) []claimed {
	work := make([]claimed, n)
	for i := range work {
		work[i] = claimed{HookID: hook, ID: uuid.New()}
	}
	return work
}

// TestHangingReceiversLeaveRoom has so many receivers hang that all slots are
// taken, and then looks at who is served still.
func TestHangingReceiversLeaveRoom(t *testing.T) {
	t.Parallel()
	ls := newLines()
	begin := func(hook uuid.UUID, to string, n int) (taken []slot) {
		ls.add(waiting(hook, n), nil, map[uuid.UUID]string{hook: to})
		for {
			_, s, ok := ls.take()
			if !ok {
				return taken
			}
			taken = append(taken, s)
		}
	}
	var hanging uuid.UUID
	for i := range maxSending / maxSlots {
		hanging = uuid.New()
		if n := len(begin(hanging, "hangs "+string(rune('a'+i)), 20)); n != maxSlots {
			t.Fatalf("a subscription takes %d slots, want %d", n, maxSlots)
		}
	}
	if ls.sending != maxSending {
		t.Fatalf("%d slots are taken, want all %d", ls.sending, maxSending)
	}
	if n := len(begin(hanging, "", 5)); n != 0 {
		t.Errorf("a subscription with %d under way takes %d more slots", maxSlots, n)
	}
	// One with nothing under way is served, one delivery at a time, to a
	// receiver that hangs as well as to another.
	for _, to := range []string{"prompt", "hangs a"} {
		served := uuid.New()
		for range 3 {
			taken := begin(served, to, 2)
			if len(taken) != 1 || taken[0].line.hookID != served {
				t.Fatalf("%d slots are taken to %s, want one", len(taken), to)
			}
			ls.free(taken[0])
			_, s, ok := ls.take()
			if !ok || s.line.hookID != served {
				t.Fatal("its next delivery gets no slot")
			}
			ls.free(s)
		}
	}
}

// TestLinesLoseNothing sends at random, and looks at the bounds on the way.
func TestLinesLoseNothing(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	ls := newLines()
	hooks, names := make([]uuid.UUID, 40), []string{"a", "b", "c", "d", "e", "f"}
	receivers := map[uuid.UUID]string{}
	for i := range hooks {
		hooks[i] = uuid.New()
		receivers[hooks[i]] = names[random.IntN(len(names))]
	}
	unsent := map[uuid.UUID]bool{}
	var taken []slot
	start := func() {
		for {
			work, s, ok := ls.take()
			if !ok {
				return
			}
			if !unsent[work.ID] {
				t.Fatal("a delivery was taken twice")
			}
			delete(unsent, work.ID)
			taken = append(taken, s)
			for _, to := range ls.receivers {
				if to.sending > maxSlots+to.lines {
					t.Fatalf("%d slots of a receiver are taken by %d subscriptions", to.sending, to.lines)
				}
			}
		}
	}
	finish := func() {
		i := random.IntN(len(taken))
		ls.free(taken[i])
		taken = append(taken[:i], taken[i+1:]...)
		start()
	}
	for range 5000 {
		hook := hooks[random.IntN(len(hooks))]
		switch random.IntN(8) {
		case 0:
			work := waiting(hook, 1+random.IntN(30))
			for _, w := range work {
				unsent[w.ID] = true
			}
			ls.add(work, nil, receivers)
			start()
		case 1:
			ls.rooms(time.Now())
		default:
			if len(taken) > 0 {
				finish()
			}
		}
	}
	for len(taken) > 0 {
		finish()
	}
	if len(unsent) > 0 {
		t.Errorf("%d deliveries were never taken", len(unsent))
	}
	for range 10 { // until each line has shown that it has nothing
		ls.rooms(time.Now())
	}
	if len(ls.of) != 0 || len(ls.receivers) != 0 || ls.sending != 0 {
		t.Errorf("%d lines, %d receivers, %d slots are left", len(ls.of), len(ls.receivers), ls.sending)
	}
}

// TestALineMoves has a subscription's URL change while it is served.
func TestALineMoves(t *testing.T) {
	t.Parallel()
	ls, hook := newLines(), uuid.New()
	ls.add(waiting(hook, 20), nil, map[uuid.UUID]string{hook: "old"})
	var taken []slot
	for {
		_, s, ok := ls.take()
		if !ok {
			break
		}
		taken = append(taken, s)
	}
	ls.move(ls.of[hook], "new")
	for range maxSlots {
		_, s, ok := ls.take()
		if !ok || s.to.name != "new" {
			t.Fatal("the new receiver has no slots")
		}
		taken = append(taken, s)
	}
	if _, _, ok := ls.take(); ok {
		t.Error("the new receiver has too many slots")
	}
	for _, s := range taken {
		ls.free(s)
	}
	if len(ls.receivers) != 1 || ls.receivers["new"].sending != 0 || ls.sending != 0 {
		t.Errorf("receivers %v, %d slots are left", ls.receivers, ls.sending)
	}
}

func TestReceivers(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"http://a.example/in", "http://a.example:http"},
		{"HTTP://A.Example.:80/other?x", "http://a.example:http"},
		{"https://a.example:443", "https://a.example:https"},
		{"http://a.example:8080/in", "http://a.example:8080"},
		{"http://[::1]:80/", "http://::1:http"},
	} {
		if got := receiverOf(c[0]); got != c[1] {
			t.Errorf("receiver of %s is %s, want %s", c[0], got, c[1])
		}
	}
}
