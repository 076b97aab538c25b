package storage

import (
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
)

// uuidCodec passes a uuid.UUID to and from Postgres as its 16 bytes. Without
// it, pgx would treat uuid.UUID as a sql.Scanner and convert each to text.
type uuidCodec struct{ pgtype.UUIDCodec }

// PlanEncode handles uuid.UUID in binary format and leaves everything else to
// pgx.
func (c uuidCodec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if _, ok := value.(uuid.UUID); ok && format == pgtype.BinaryFormatCode {
		return uuidPlan{}
	}
	return c.UUIDCodec.PlanEncode(m, oid, format, value)
}

// PlanScan handles *uuid.UUID in binary format and leaves everything else to
// pgx.
func (c uuidCodec) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	if _, ok := target.(*uuid.UUID); ok && format == pgtype.BinaryFormatCode {
		return uuidPlan{}
	}
	return c.UUIDCodec.PlanScan(m, oid, format, target)
}

type uuidPlan struct{}

// Encode appends the 16 bytes of value, a uuid.UUID, to buf.
func (uuidPlan) Encode(value any, buf []byte) ([]byte, error) {
	id := value.(uuid.UUID)
	return append(buf, id[:]...), nil
}

// Scan copies the 16 bytes of src into target, a *uuid.UUID.
func (uuidPlan) Scan(src []byte, target any) error {
	if src == nil {
		return errors.New("cannot scan null into uuid.UUID")
	}
	if len(src) != len(uuid.UUID{}) {
		return fmt.Errorf("UUID has %d bytes, want 16", len(src))
	}
	copy(target.(*uuid.UUID)[:], src)
	return nil
}
