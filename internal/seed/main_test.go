package seed_test

import (
	"testing"

	"understudy.example/internal/server/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }
