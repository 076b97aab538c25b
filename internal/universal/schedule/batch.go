package schedule

// The limits of a Batch.
const (
	minBatch = 25
	maxBatch = minBatch << 7
)

// Batch is the number of waiting rows that a step handles at once. It doubles at each call of
// Next. It returns to the minimum if more rows wait than the last batch has left, because some
// rows of that batch have to wait again. The zero value is ready to use.
type Batch struct{ size, left int }

// Next returns the size of the next batch. waiting is the number of rows that wait.
func (b *Batch) Next(waiting int) int {
	if b.size == 0 || waiting > b.left {
		b.size = minBatch
	} else {
		b.size = min(2*b.size, maxBatch)
	}
	b.left = max(waiting-b.size, 0)
	return b.size
}
