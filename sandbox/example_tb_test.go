package sandbox_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"
)

// test runs an example as go test runs a test. It prints the failure messages, with which
// the output of the example is wrong.
func test(body func(t testing.TB)) {
	ctx, cancel := context.WithCancel(context.Background())
	t := &exampleTB{ctx: ctx}
	t.run(func() { body(t) })
	cancel()
	for _, cleanup := range slices.Backward(t.cleanups) {
		t.run(cleanup)
	}
}

// exampleTB is the testing.TB of an example, which has no *testing.T. Its other methods
// are nil.
type exampleTB struct {
	testing.TB
	ctx      context.Context
	cleanups []func()
}

// run calls f, which may call Fatal, and returns when f has ended.
func (t *exampleTB) run(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

func (t *exampleTB) Helper()                  {}
func (t *exampleTB) Logf(string, ...any)      {}
func (t *exampleTB) Context() context.Context { return t.ctx }
func (t *exampleTB) Cleanup(f func())         { t.cleanups = append(t.cleanups, f) }

func (t *exampleTB) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func (t *exampleTB) Fatal(args ...any) {
	fmt.Println(args...)
	runtime.Goexit()
}

func (t *exampleTB) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	runtime.Goexit()
}
