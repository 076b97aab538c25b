//go:build !race

package worker

// slack is the memory in bytes that the kernel allows beyond the limit of a document.
const slack = Overhead

// addressSpace is the address space in bytes that a worker process can have besides its memory.
// A Go program reserves far more than it uses: about 1.3 GB, with cgo about 2 GB. The limit
// bounds the memory of page tables, which do not count towards any other limit: each 2 MiB of
// address space can need 4 KiB.
const addressSpace = 16 << 30
