//go:build !race

package worker

// slack is the memory in bytes that the Go runtime maps besides heap and stacks,
// and in advance: the heap grows by 64 MiB at a time.
const slack = 160 << 20
