package launch

import "syscall"

// endWithThread makes the kernel kill the process when the thread that started it ends.
func endWithThread(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGKILL }
