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
	secrets, files := secretFlags(commands, arguments)
	for i, argument := range arguments {
		if argument == "--" {
			return // the rest is a command and its arguments
		}
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
		fmt.Fprintf(os.Stderr, "%s: warning: %s is a secret, and other users of this machine can read flags: set %s instead\n", program, name, instead)
		if runtime.GOOS == "linux" {
			shown := unsafe.Slice(unsafe.StringData(value), len(value))
			copy(shown, strings.Repeat("*", len(value)))
		}
	}
}

// secretFlags returns the secret flags of all commands, and the other flags of the command that
// the arguments name, both by their names on the command line. If several commands have a secret
// flag with the same name, that of the named command counts.
func secretFlags(node *kong.Node, arguments []string) (secrets, others map[string]*kong.Flag) {
	named := node.DefaultCmd
	for _, command := range node.Children {
		if len(arguments) > 1 && command.Name == arguments[1] {
			named = command
		}
	}
	secrets, others = map[string]*kong.Flag{}, map[string]*kong.Flag{}
	for _, command := range slices.Concat(node.Children, []*kong.Node{named}) {
		for _, flag := range command.Flags {
			if flag.Tag.Has("secret") {
				secrets["--"+flag.Name] = flag
			} else if command == named {
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
