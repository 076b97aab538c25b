//go:build race

package worker

// slack leaves room, in bytes, for the memory of the race detector, which is many
// times that of the program. With it, watchLimits limits a worker process.
const slack = 8 << 30

// addressSpace is so large that it limits nothing, because the race detector reserves most of
// the address space.
const addressSpace = 1 << 62
