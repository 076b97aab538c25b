package server

import (
	"fmt"
	"time"

	"understudy.example/internal/transfer"
	"understudy.example/internal/universal"
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
	if c.TLSCert != "" {
		limits.Handshakes = transfer.NewHandshakes()
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
// Connections also use memory, therefore there are upper limits: about 20 KB each, and
// 120 KB while a head of 4 KB of very short lines arrives.
const (
	mostAPIConnections     = 4096
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

// Limits of uploads in progress. A client can upload 50 files in parallel, and one tenant
// cannot use all of a limit.
const (
	mostUploads        = 1024
	tenantUploads      = 64
	submissionUploads  = 4
	uploadMemory       = 512 << 20       // bytes, of which a quarter is kept for one upload of each tenant
	tenantUploadMemory = 160 << 20       // bytes; ten uploads of large files to S3
	uploadWait         = 5 * time.Second // clients whose timeout is short still get the 503
)

// uploadLimits returns the limits of uploads in progress on a server whose API has the
// maximum number of connections: half as many uploads.
func uploadLimits(connections int) universal.UploadLimits {
	total := max(min(connections/2, mostUploads), 2)
	return universal.UploadLimits{
		Total: total, PerTenant: min(tenantUploads, total/2), PerSubmission: submissionUploads,
		Memory: uploadMemory, TenantMemory: tenantUploadMemory, Wait: uploadWait,
	}
}
