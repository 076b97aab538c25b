package server

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"understudy.example/internal/worker"
)

// WorkerLimits limit the processing of documents.
type WorkerLimits struct {
	ReadTime             time.Duration `env:"READ_TIME" default:"30s" help:"Maximum CPU time for processing one document."`
	ReadMemoryBytes      int64         `env:"READ_MEMORY_BYTES" default:"536870912" help:"Maximum memory for processing one document."`
	ReadMemoryTotalBytes int64         `env:"READ_MEMORY_TOTAL_BYTES" default:"0" help:"Maximum memory for processing all documents together. 0 is a quarter of the machine's or container's memory, or up to half of it if a quarter is not enough for two documents."`
}

// minWorkerMemory is the memory in bytes that a worker process needs for the smallest
// document.
const minWorkerMemory = 64 << 20

// fallbackMemory is the assumed memory of a machine in bytes if the system does not
// report it.
const fallbackMemory = 8 << 30

// Pool returns a pool of at most size worker processes, or fewer if the total memory is
// not enough for that many. It keeps one idle worker per core running. newPool is
// worker.NewPool or worker.NewSharedPool.
func (l WorkerLimits) Pool(size int, newPool func(size, warm int, limits worker.Limits) *worker.Pool) (*worker.Pool, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	return newPool(min(size, l.mostWorkers(machineMemory())), runtime.NumCPU(), worker.Limits{Time: l.ReadTime, Memory: l.ReadMemoryBytes}), nil
}

// check rejects limits with which no document can be processed.
func (l WorkerLimits) check() error {
	if l.ReadTime <= 0 || l.ReadMemoryBytes < minWorkerMemory {
		return fmt.Errorf("READ_TIME must be above 0, and READ_MEMORY_BYTES at least %d", minWorkerMemory)
	}
	if each := l.ReadMemoryBytes + worker.Overhead; l.ReadMemoryTotalBytes != 0 && l.ReadMemoryTotalBytes < each {
		return fmt.Errorf("READ_MEMORY_TOTAL_BYTES is %d: want at least %d, which is READ_MEMORY_BYTES plus %d for the process itself",
			l.ReadMemoryTotalBytes, each, worker.Overhead)
	}
	return nil
}

// mostWorkers returns how many worker processes fit into the total memory on a machine
// with the given bytes of memory. If the total is not set, it is a quarter of the memory, or up to
// half if a quarter is not enough for two processes: with two, other documents need not wait for a
// slow one. The result is then at least one.
func (l WorkerLimits) mostWorkers(machine int64) int {
	each := l.ReadMemoryBytes + worker.Overhead
	if l.ReadMemoryTotalBytes == 0 {
		return int(max(machine/4/each, min(machine/2/each, 2), 1))
	}
	return int(l.ReadMemoryTotalBytes / each)
}

// limitServerMemory makes the garbage collector run more often when the server uses half
// of the machine's or container's memory, unless GOMEMLIMIT sets another limit. The rest
// is for worker processes, PostgreSQL and files.
func limitServerMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(machineMemory() / 2)
	}
}

// machineMemory returns the memory in bytes of this machine, or of this container if
// it is limited to less.
func machineMemory() int64 {
	machine, err := memlimit.FromSystem()
	if err != nil {
		machine = fallbackMemory
	}
	if container, err := memlimit.FromCgroup(); err == nil {
		machine = min(machine, container)
	}
	return int64(machine)
}
