package storage

import (
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
)

// uuidCodec hands UUIDs on as the 16 bytes that they are on both sides. Without
// it pgx takes uuid.UUID for a sql.Scanner, and makes a text of each.
type uuidCodec struct{ pgtype.UUIDCodec }

// PlanEncode writes uuid.UUID itself and leaves the rest to pgx.
func (c uuidCodec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if _, ok := value.(uuid.UUID); ok && format == pgtype.BinaryFormatCode {
		return uuidPlan{}
	}
	return c.UUIDCodec.PlanEncode(m, oid, format, value)
}

// PlanScan reads uuid.UUID itself and leaves the rest to pgx.
func (c uuidCodec) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	if _, ok := target.(*uuid.UUID); ok && format == pgtype.BinaryFormatCode {
		return uuidPlan{}
	}
	return c.UUIDCodec.PlanScan(m, oid, format, target)
}

type uuidPlan struct{}

// Encode appends the bytes.
func (uuidPlan) Encode(value any, buf []byte) ([]byte, error) {
	id := value.(uuid.UUID)
	return append(buf, id[:]...), nil
}

// Scan takes the bytes.
func (uuidPlan) Scan(src []byte, target any) error {
	if src == nil {
		return errors.New("null where a UUID must be")
	}
	if len(src) != len(uuid.UUID{}) {
		return fmt.Errorf("UUID of %d bytes", len(src))
	}
	copy(target.(*uuid.UUID)[:], src)
	return nil
}
