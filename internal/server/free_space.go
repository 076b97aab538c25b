package server

import "fmt"

// FreeSpace is the flag for the space that the object store leaves free.
type FreeSpace struct {
	MinFreeBytes *int64 `env:"MIN_FREE_BYTES" help:"Uploads are refused while the file system of the object store, if that is a directory, has fewer bytes free. 0 is no limit. If not set, it is 1 GiB or 5 % of the file system, whichever is less."`
}

// check returns an error if the flag is negative.
func (f FreeSpace) check() error {
	if f.MinFreeBytes != nil && *f.MinFreeBytes < 0 {
		return fmt.Errorf("MIN_FREE_BYTES is %d: want 0 for no limit, or more", *f.MinFreeBytes)
	}
	return nil
}
