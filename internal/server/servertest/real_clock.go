package servertest

import "time"

// RealClock is an option: the server's time is the machine's, later by what Pass
// has added. It is for tests whose subject takes time or shares a database with
// server processes; other tests are exact with the clock that stands still.
func RealClock(o *Options) { o.clock.run() }

// run makes the clock show the machine's time.
func (c *Clock) run() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = time.Now().UTC()
	c.startedAt = c.now
}
