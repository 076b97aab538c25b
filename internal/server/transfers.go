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

// The listeners may use only a part of the file descriptors, so that the server can
// always open files, connect to the database and accept calls of the control API.
// Connections also use memory, about 20 KB each, therefore there are upper limits.
const (
	mostAPIConnections     = 16384
	mostControlConnections = 1024
)

// apiConnections returns the maximum number of connections of the API: a quarter of the
// files that the server can open, because an upload uses three.
func apiConnections(openFiles uint64) int {
	return int(min(openFiles/4, mostAPIConnections))
}

// controlConnections returns the maximum number of connections of the control API: a
// sixteenth of the files that the server can open.
func controlConnections(openFiles uint64) int {
	return int(min(openFiles/16, mostControlConnections))
}
