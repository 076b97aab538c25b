//go:build !race

package worker

// slack is what the Go runtime maps beside heap and stacks, and what it maps
// ahead: the heap grows by 64 MiB at a time.
const slack = 160 << 20
