//go:build race

package worker

// slack leaves room for the race detector's own memory, many times ours:
// watchMemory then is what limits a child.
const slack = 8 << 30
