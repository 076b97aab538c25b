package seed

import (
	"math"
	"time"

	"understudy.example/internal/auth"
	"understudy.example/internal/configuration"
	"understudy.example/internal/hooks"
)

// Check checks what does not depend on a server and its database: the keys and values of
// the seed, and whether its documents can be read. The error is an *Error.
func (f *File) Check(now time.Time) error {
	gate := auth.NewGate(nil, nil, &auth.Keys{}, func() time.Time { return now }, nil)
	editor := &hooks.Editor{Sender: hooks.NewSender(hooks.Network{AllowPrivate: true}, hooks.Signature{})}
	s := Seeder{Configurations: configuration.Configurations{Gate: gate, Hooks: editor}, MaxDocument: math.MaxInt64 - 1}
	if err := f.check(s.Configurations); err != nil {
		return err
	}
	for _, t := range f.tenants {
		if _, err := s.parts(t); err != nil {
			return f.locate(err)
		}
	}
	return nil
}
