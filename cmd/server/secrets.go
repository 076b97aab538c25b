package main

import (
	"fmt"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"github.com/alecthomas/kong"
)

// hideSecrets logs a warning for every secret that is passed as a flag, because all
// users of the machine can read the arguments of a process. On Linux it also overwrites
// the secrets in the process list, which shows the memory of the argument strings.
// Nothing else may use these strings.
func hideSecrets(commands *kong.Node, arguments []string) {
	secrets, files := secretFlags(commands)
	for i, argument := range arguments {
		name, value, inSame := strings.Cut(argument, "=")
		flag, secret := secrets[name]
		if secret && !inSame && i+1 < len(arguments) {
			value = arguments[i+1]
		}
		if !secret || value == "" || flag.Name == "database-url" && !hasPassword(value) || flag.Name == "webhook-proxy" && !strings.Contains(value, "@") {
			continue
		}
		instead := strings.Join(flag.Envs, " or ")
		if file := files[name+"-file"]; file != nil {
			instead += " or " + strings.Join(file.Envs, " or ")
		}
		fmt.Fprintf(os.Stderr, "server: warning: %s is a secret, and other users of this machine can read flags: set %s instead\n", name, instead)
		if runtime.GOOS == "linux" {
			shown := unsafe.Slice(unsafe.StringData(value), len(value))
			copy(shown, strings.Repeat("*", len(value)))
		}
	}
}

// secretFlags returns the secret flags of all commands, and the other flags, both by
// their names on the command line.
func secretFlags(node *kong.Node) (secrets, others map[string]*kong.Flag) {
	secrets, others = map[string]*kong.Flag{}, map[string]*kong.Flag{}
	for _, command := range slices.Concat([]*kong.Node{node}, node.Children) {
		for _, flag := range command.Flags {
			if flag.Tag.Has("secret") {
				secrets["--"+flag.Name] = flag
			} else {
				others["--"+flag.Name] = flag
			}
		}
	}
	return secrets, others
}

// hasPassword reports whether a connection string of PostgreSQL contains a password.
func hasPassword(connection string) bool {
	if at, err := url.Parse(connection); err == nil && at.User != nil {
		if _, found := at.User.Password(); found {
			return true
		}
	}
	return strings.Contains(connection, "password")
}
