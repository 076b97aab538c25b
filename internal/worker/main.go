//go:build linux || darwin

package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"understudy.example/internal/extract"
)

// Main turns a process that a Pool has started into a worker process: it extracts
// documents until the parent ends, and never returns. In any other process, it
// returns at once.
func Main() {
	if os.Args[0] != processName {
		return
	}
	fmt.Fprintln(os.Stderr, serve(os.Args[1:]))
	os.Exit(1)
}

// work is what a worker process does with a document. Tests replace it.
var work = extractDocument

// serve extracts documents until an error occurs. When the parent ends, it exits.
func serve(arguments []string) error {
	if len(arguments) != 2 {
		return errors.New("not started by a worker pool")
	}
	var limits Limits
	var err error
	if limits.Time, err = time.ParseDuration(arguments[0]); err != nil {
		return err
	}
	if limits.Memory, err = strconv.ParseInt(arguments[1], 10, 64); err != nil {
		return err
	}
	// A document must not use more than one core.
	runtime.GOMAXPROCS(1)
	limitMemory(limits.Memory)
	if err := confine(cpuLimit(limits.Time), limits.Memory); err != nil {
		return err
	}
	const socket = 3 // the first descriptor after stdin, stdout and stderr
	file := os.NewFile(socket, "parent")
	conn, err := net.FileConn(file)
	file.Close()
	if err != nil {
		return err
	}
	parent, ok := conn.(*net.UnixConn)
	if !ok {
		return errors.New("descriptor 3 is not a Unix socket")
	}
	loadTables()
	debug.FreeOSMemory()
	ready, err := enterSandbox()
	if err != nil {
		return err
	}
	message, err := encodeFrame(ready)
	if err != nil {
		return err
	}
	if _, err := parent.Write(message); err != nil {
		return err
	}
	return serveJobs(parent, limits)
}

// job is a document that the parent has sent.
type job struct {
	request
	file *os.File
}

// serveJobs extracts the documents that the parent sends, one after the other.
func serveJobs(parent *net.UnixConn, limits Limits) error {
	jobs := make(chan job)
	go func() {
		// Receive during an extraction too, so that the process exits as soon as
		// the parent ends.
		for {
			req, file, err := receiveRequest(parent)
			if err != nil {
				os.Exit(0)
			}
			jobs <- job{req, file}
		}
	}()
	unused := memoryInUse()
	pause := time.NewTimer(idlePause)
	for {
		select {
		case <-pause.C:
			returnIdleMemory(unused)
			continue
		case j := <-jobs:
			if err := serveJob(parent, j, limits); err != nil {
				return err
			}
		}
		returnMemory(uint64(limits.Memory))
		pause.Reset(idlePause)
	}
}

// serveJob extracts a document and sends the response to the parent.
func serveJob(parent *net.UnixConn, j job, limits Limits) error {
	done := make(chan struct{})
	go watchLimits(limits, done)
	res := work(context.Background(), j.request, j.file)
	j.file.Close()
	res.CPUTime, res.Mapped = cpuTime(), mappedMemory()
	message, err := encodeFrame(res)
	if err != nil {
		return err
	}
	if len(message) > int(j.request.maxResponse()) {
		message, _ = encodeFrame(response{Reason: "the document contains too much data", CPUTime: res.CPUTime, Mapped: res.Mapped})
	}
	close(done)
	_, err = parent.Write(message)
	return err
}

// loadTables extracts a small document, which loads the tables that the first real
// document would otherwise wait for.
func loadTables() {
	// A page of new memory takes longer than collecting the garbage in an old one.
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	const letter = "Named Insured: A Company LLC\nMailing Address: 1 Main Street, Springfield, IL 62701\nEffective Date: 01/02/2026\n"
	extract.Extract(context.Background(), "a.txt", strings.NewReader(letter), int64(len(letter)))
}

// receiveRequest waits for a request and the file descriptor sent with it.
func receiveRequest(parent *net.UnixConn) (request, *os.File, error) {
	first := make([]byte, 4096)
	rights := make([]byte, syscall.CmsgSpace(4))
	n, nRights, _, _, err := parent.ReadMsgUnix(first, rights)
	if err != nil {
		return request{}, nil, err
	}
	messages, err := syscall.ParseSocketControlMessage(rights[:nRights])
	if err != nil || len(messages) != 1 {
		return request{}, nil, errors.New("request without a file descriptor")
	}
	descriptors, err := syscall.ParseUnixRights(&messages[0])
	if err != nil || len(descriptors) != 1 {
		return request{}, nil, errors.New("request without a file descriptor")
	}
	file := os.NewFile(uintptr(descriptors[0]), "document")
	var req request
	err = readFrame(io.MultiReader(strings.NewReader(string(first[:n])), parent), maxRequest, &req)
	return req, file, err
}

// cpuTime returns the CPU time that this process has used.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
