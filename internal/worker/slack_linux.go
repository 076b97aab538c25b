//go:build !race

package worker

// slack is the memory in bytes that the kernel allows beyond the limit of a document.
const slack = Overhead
