//go:build linux || darwin

package postgres

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// nobodyID is the ID of the user nobody. Worker processes run as this user if the
// server runs as root.
const nobodyID = 65534

// credentialFor returns the user to run Postgres as, or nil for the current user.
// Postgres refuses to run as root, so for root it is the owner of the cluster or, if
// there is no cluster yet or it belongs to the user nobody, a system user that most
// machines have.
func credentialFor(clusterDir string) (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	if info, err := os.Stat(clusterDir); err == nil {
		owner := info.Sys().(*syscall.Stat_t)
		if owner.Uid == 0 {
			return nil, fmt.Errorf("%s belongs to root, but PostgreSQL does not run as root: change its owner with chown -R", clusterDir)
		}
		if owner.Uid != nobodyID {
			return &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}, nil
		}
	}
	for _, name := range []string{"postgres", "_postgres", "daemon"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(found.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(found.Gid, 10, 32)
		if uidErr == nil && gidErr == nil && uid != 0 {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return nil, errors.New("PostgreSQL does not run as root, and this machine has no user named postgres or daemon to run it as: start the server as another user, or set DATABASE_URL")
}
