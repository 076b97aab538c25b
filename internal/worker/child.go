// Package worker reads documents in child processes of the same binary, so that
// a document which hangs, devours memory or breaks its reader harms nothing but
// its own submission. It knows nothing of formats or insurance.
//
// A Pool keeps children warm and gives each one document at a time: over a
// socket goes the file's descriptor and name, back comes what it states, which
// is bounded and checked. A child has no environment, no other descriptors, no
// network where the system lets us take it away, bounded memory and CPU time,
// and dies with its parent. When it takes too long, it is killed and replaced.
//
// The binary's main, and TestMain where tests read documents, must call Main
// first.
package worker

import (
	"errors"
	"io"
	"time"
)

// Limits bound what one document may cost.
type Limits struct {
	Wall   time.Duration // for reading it
	Memory int64         // bytes of heap and stacks
}

// lifetime is the CPU time of a child's whole life. Once it has used half of
// it, it is replaced: so each document has at least the other half.
func lifetime(wall time.Duration) time.Duration { return 2*wall + time.Second }

// Document is what can be read: an open object of the store. One that is an
// open file too is handed over as it is, any other copied to a file first.
type Document interface {
	io.ReaderAt
	Size() int64
}

// ErrClosed is the error of reading after Close.
var ErrClosed = errors.New("the readers have been stopped")

// name is how a child is called in the list of processes, and how it knows
// itself.
const name = "understudy-reader"
