// Package worker extracts documents in worker processes, which are child
// processes that run the same binary. A document that makes the parser hang, crash
// or exhaust its memory therefore affects only its own submission. The package
// does not know document formats or insurance.
//
// A Pool keeps idle worker processes and sends each one a single document at a time, and
// only documents of one tenant: it passes the file descriptor and the file name over a
// Unix socket and receives the extraction, whose size is limited and whose contents are
// checked. A worker process has no environment variables and no other file descriptors,
// and limited memory and CPU time. On Linux it runs in a sandbox: it cannot open files, make connections or
// start processes. It ends with its parent. A process that exceeds a limit, or does not
// respond, is replaced.
//
// The binary's main function must call Main first, and so must TestMain of every
// package whose tests extract documents with a Pool.
package worker

import (
	"errors"
	"fmt"
	"io"
	"time"

	"understudy.example/internal/extract"
)

// Limits are the resource limits for extracting one document.
type Limits struct {
	Time   time.Duration // CPU time; wall-clock time on a system without worker processes
	Memory int64         // bytes of heap and stacks
}

// Overhead is the memory in bytes that a worker process can use in addition to that of
// Limits before the kernel refuses more. The Go runtime maps memory besides heap and
// stacks, and maps it in advance, because the heap grows by 64 MiB at a time.
const Overhead = 160 << 20

// Stats is the state of a Pool.
type Stats struct {
	Busy int // worker processes that extract a document
	Idle int // worker processes that wait for one
}

// Causes of documents that cannot be extracted, besides those that the parsers find.
const (
	CauseTime    extract.Cause = "time"    // CPU time; wall-clock time without worker processes
	CauseMemory  extract.Cause = "memory"  // heap and stacks
	CauseNesting extract.Cause = "nesting" // a stack that grows endlessly
	CauseResult  extract.Cause = "result"  // too large or invalid
	CauseCrash   extract.Cause = "crash"   // MaxCrashes times
	CausePanic   extract.Cause = "panic"   // of a parser
	CauseView    extract.Cause = "view"    // the document has no such part or place
)

// cpuLimit returns the CPU time that a worker process can use in total before the kernel
// ends it. The pool replaces a process that has used half of it, so that at least the
// other half is left for each document, which is more than one document can use.
func cpuLimit(perDocument time.Duration) time.Duration { return 2*perDocument + time.Second }

// responseTimeout returns how long a worker process may take to respond, in wall-clock
// time. It is much longer than the CPU time of a document, because other programs and
// other documents may use the cores. A process that takes even longer gets no CPU time
// or hangs, and the document may not be the cause.
func responseTimeout(perDocument time.Duration) time.Duration {
	return max(10*perDocument, time.Minute)
}

// Document is a document to extract, such as an open object of the object store.
// The pool passes the descriptor of an open file to the worker process; it copies
// any other document to a temporary file first.
type Document interface {
	io.ReaderAt
	Size() int64
}

// ErrClosed is returned by Extract if the pool is closed before or during the call.
var ErrClosed = errors.New("worker pool is closed")

// ErrRead is returned by Extract if the bytes of the document could not be read. It
// says nothing about the document.
var ErrRead = errors.New("the document's file could not be read")

// Crash is the error of a document whose worker process died, but not at a limit: the
// process crashed, or something else killed it, such as the kernel when the machine had
// no memory left. It is also the error if the process did not respond, but had not used
// the CPU time that a document has, or if it reported an error that the document did not cause.
type Crash struct {
	Exit   string // how the process ended, such as "signal: killed" or "no response within 5m0s", or the error that it reported
	Stderr string // the beginning of what it wrote to standard error
	err    error
}

func (c *Crash) Error() string { return "worker process crashed: " + c.Exit }

func (c *Crash) Unwrap() error { return c.err }

// MaxCrashes is the number of worker processes that must crash on a document before the
// document is assumed to be the cause.
const MaxCrashes = 3

// ErrCrashes is the error of a document on which MaxCrashes worker processes have
// crashed.
var ErrCrashes = &extract.Unreadable{Cause: CauseCrash, Reason: fmt.Sprintf("the worker process crashed %d times while reading the document", MaxCrashes)}

// processName is the name of a worker process in the process list. A process that
// has it runs as a worker process.
const processName = "understudy-worker"
