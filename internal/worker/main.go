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
	"runtime/metrics"
	"strconv"
	"strings"
	"syscall"
	"time"

	"understudy.example/internal/extract"
)

// exitMemory is how a child ends that finds itself above its limit, where the
// system does not stop it.
const exitMemory = 3

// Main returns at once, unless a Pool has started this process: then it reads
// documents until its parent is gone, and never returns.
func Main() {
	if os.Args[0] != name {
		return
	}
	if err := serve(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func serve(arguments []string) error {
	if len(arguments) != 2 {
		return errors.New("started by hand")
	}
	wall, err := time.ParseDuration(arguments[0])
	if err != nil {
		return err
	}
	memory, err := strconv.ParseInt(arguments[1], 10, 64)
	if err != nil {
		return err
	}
	// One thread at work: a document takes no more than one core.
	runtime.GOMAXPROCS(1)
	debug.SetMemoryLimit(memory * 4 / 5)
	if err := confine(lifetime(wall), memory); err != nil {
		return err
	}
	const socket = 3 // the first after the standard ones
	file := os.NewFile(socket, "parent")
	conn, err := net.FileConn(file)
	file.Close()
	if err != nil {
		return err
	}
	parent, ok := conn.(*net.UnixConn)
	if !ok {
		return errors.New("no socket to the parent")
	}
	warmUp()
	if _, err := parent.Write([]byte{'.'}); err != nil {
		return err
	}
	type work struct {
		question
		file *os.File
	}
	questions := make(chan work)
	go func() {
		// It listens while a document is read, too: a parent that is gone ends all.
		for {
			q, file, err := receive(parent)
			if err != nil {
				os.Exit(0)
			}
			questions <- work{q, file}
		}
	}()
	for asked := range questions {
		done := make(chan struct{})
		go watchMemory(uint64(memory), done)
		got := read(context.Background(), asked.question, asked.file)
		close(done)
		asked.file.Close()
		got.Spent = spent()
		message, err := frame(got)
		if err != nil {
			return err
		}
		if len(message) > maxAnswer {
			message, _ = frame(answer{Reason: "the document states too much", Spent: got.Spent})
		}
		if _, err := parent.Write(message); err != nil {
			return err
		}
	}
	return nil
}

// warmUp has the tables ready that the first document would wait for.
func warmUp() {
	const letter = "Named Insured: A Company LLC\nMailing Address: 1 Main Street, Springfield, IL 62701\nEffective Date: 01/02/2026\n"
	extract.Extract(context.Background(), "a.txt", strings.NewReader(letter), int64(len(letter)))
}

// receive waits for a question and the descriptor that comes with it.
func receive(parent *net.UnixConn) (question, *os.File, error) {
	first := make([]byte, 4096)
	rights := make([]byte, syscall.CmsgSpace(4))
	n, nRights, _, _, err := parent.ReadMsgUnix(first, rights)
	if err != nil {
		return question{}, nil, err
	}
	messages, err := syscall.ParseSocketControlMessage(rights[:nRights])
	if err != nil || len(messages) != 1 {
		return question{}, nil, errors.New("no descriptor")
	}
	descriptors, err := syscall.ParseUnixRights(&messages[0])
	if err != nil || len(descriptors) != 1 {
		return question{}, nil, errors.New("no descriptor")
	}
	file := os.NewFile(uintptr(descriptors[0]), "document")
	var q question
	err = readFrame(io.MultiReader(strings.NewReader(string(first[:n])), parent), maxQuestion, &q)
	return q, file, err
}

// watchMemory ends the process when it holds more than the limit while a
// document is read: the net for systems that do not.
func watchMemory(limit uint64, done <-chan struct{}) {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		metrics.Read(samples)
		if samples[0].Value.Uint64()-samples[1].Value.Uint64() > limit {
			os.Exit(exitMemory)
		}
	}
}

// spent is the CPU time that this process has used.
func spent() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
