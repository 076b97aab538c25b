package server

import (
	"fmt"

	"understudy.example/internal/transfer"
)

// sharedTransferRate is the default minimum rate of transfers in a shared deployment, in
// bytes per second.
const sharedTransferRate = 1 << 10

// transfers returns the limits of the connections of both listeners. Proxies can have
// any number of connections, because they serve many clients.
func (c *Config) transfers() transfer.Limits {
	limits := transfer.Limits{PerAddress: c.MaxConnectionsPerAddress, Exempt: c.TrustedProxies}
	switch {
	case c.MinTransferRate != nil:
		limits.Rate = *c.MinTransferRate
	case c.uat():
		limits.Rate = sharedTransferRate
	}
	return limits
}

// checkTransfers returns an error if a limit is negative.
func (c *Config) checkTransfers() error {
	if c.MinTransferRate != nil && *c.MinTransferRate < 0 {
		return fmt.Errorf("MIN_TRANSFER_RATE is %d: want 0 for none, or more", *c.MinTransferRate)
	}
	if c.MaxConnectionsPerAddress < 0 {
		return fmt.Errorf("MAX_CONNECTIONS_PER_ADDRESS is %d: want 0 for no limit, or more", c.MaxConnectionsPerAddress)
	}
	return nil
}
