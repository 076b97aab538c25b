package docs_test

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// container is a process that has the file system of an image.
type container struct {
	t       *testing.T
	target  stage
	env     []string
	control string // URL of the control listener
	unshare *exec.Cmd
	exited  chan error
	log     bytes.Buffer
}

// enter mounts what a container engine mounts: the read-only file system, the volume, the
// temporary directory with the mode that it has in the image, and devices. If there are
// commands to run first, the files of the image lie over those of this machine.
const enter = `
root=$1 run=$2 volume=$3 user=$4
shift 4
if [ "$run" ]; then
	layers=$(dirname "$root")/layers
	mkdir "$layers"
	mount -t tmpfs tmpfs "$layers"
	mkdir "$layers/work"
	cp -a "$root" "$layers/upper"
	mount -t overlay -o "lowerdir=/,upperdir=$layers/upper,workdir=$layers/work" overlay "$root"
	chroot "$root" sh -ec "$run"
fi
mount --bind "$root" "$root"
mount --bind "$root$volume" "$root$volume"
mkdir -p "$root/proc" "$root/dev"
mount -t proc proc "$root/proc"
mount -t tmpfs -o "noexec,nosuid,nodev,mode=$(stat --format %a "$root/tmp")" tmpfs "$root/tmp"
for device in null zero random urandom; do
	touch "$root/dev/$device"
	mount --bind "/dev/$device" "$root/dev/$device"
done
mount -o remount,bind,ro "$root"
cd /
exec chroot --userspec="$user" --groups= "$root" "$@"`

// startContainer starts the command of the target with root as its file system, after the
// commands of run in it. It listens on free ports of this machine, because it shares the
// network.
func startContainer(t *testing.T, target stage, root, run string, environment ...string) *container {
	t.Helper()
	c := &container{t: t, target: target, exited: make(chan error, 1)}
	for name, value := range target.variables("ENV") {
		if _, _, err := net.SplitHostPort(value); err == nil {
			value = freeAddress(t)
		}
		if name == "CONTROL_ADDR" {
			c.control = "http://" + value
		}
		c.env = append(c.env, name+"="+value)
	}
	c.env = append(c.env, "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
	c.env = append(c.env, environment...)
	arguments := []string{"--mount", "--pid", "--fork", "sh", "-euc", enter, "sh", root, run, target.all("VOLUME")[0], target.all("USER")[0]}
	c.unshare = exec.Command("unshare", append(arguments, target.command(t, "ENTRYPOINT")...)...)
	c.unshare.Env, c.unshare.Stdout, c.unshare.Stderr = c.env, &c.log, &c.log
	if err := c.unshare.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { c.exited <- c.unshare.Wait() }()
	t.Cleanup(func() {
		if process := c.process(); process != 0 {
			syscall.Kill(process, syscall.SIGKILL)
		}
		<-c.exited
		if t.Failed() {
			t.Logf("log of the server:\n%s", c.log.String())
		}
	})
	return c
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// process returns the id of the container's first process, or 0 if it does not exist yet.
func (c *container) process() int {
	id := strconv.Itoa(c.unshare.Process.Pid)
	children, _ := os.ReadFile(filepath.Join("/proc", id, "task", id, "children"))
	child, _ := strconv.Atoi(strings.TrimSpace(string(children)))
	return child
}

// waitHealthy runs the health check in the container until it succeeds.
func (c *container) waitHealthy() {
	c.t.Helper()
	user, group, _ := strings.Cut(c.target.all("USER")[0], ":")
	healthcheck := c.target.command(c.t, "HEALTHCHECK")
	for deadline := time.Now().Add(time.Minute); ; {
		arguments := []string{"--target", strconv.Itoa(c.process()), "--mount", "--pid", "--root", "--setuid", user, "--setgid", group}
		command := exec.CommandContext(c.t.Context(), "nsenter", append(arguments, healthcheck...)...)
		command.Env = c.env
		out, err := command.CombinedOutput()
		if err == nil {
			return
		}
		select {
		case err := <-c.exited:
			c.exited <- err
			c.t.Fatalf("the server has exited: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("the health check fails: %v: %s", err, out)
		}
	}
}

// submit submits a document and checks that worker processes extract its values.
func (c *container) submit(program string) {
	c.t.Helper()
	command := exec.CommandContext(c.t.Context(), program, "submit", "../examples/letter.docx")
	command.Env = append(os.Environ(), "UNDERSTUDY_CONTROL_URL="+c.control, "UNDERSTUDY_API_URL=", "UNDERSTUDY_TENANT=", "UNDERSTUDY_CONTROL_TOKEN=")
	if out, err := command.CombinedOutput(); err != nil || !strings.Contains(string(out), "letter.docx: Completed") {
		c.t.Errorf("%v: %s", err, out)
	}
}

// stop sends the signal with which a container engine stops the container, and waits until
// the server has stopped in order.
func (c *container) stop() {
	c.t.Helper()
	process := c.process()
	if process == 0 {
		c.t.Fatal("the server has exited")
	}
	syscall.Kill(process, syscall.SIGTERM)
	err := <-c.exited
	c.exited <- err
	if err != nil {
		c.t.Errorf("the server stopped with: %v", err)
	}
}
