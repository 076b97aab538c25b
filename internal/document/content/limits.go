package content

// Limits of one submission. They bound memory and time whatever the bytes say.
const (
	MaxParts = 1_000
	MaxDepth = 6         // files within files, of any format
	MaxText  = 5_000_000 // bytes of text kept in all parts

	maxBlocks = 100_000      // in all parts; about 50 MB in memory
	maxCells  = 2 * MaxCells // of the tables in all parts

	maxAttachments = 50
	maxMailDepth   = 3         // mails attached to mails
	maxUnzipped    = 200 << 20 // bytes unpacked from all containers together
)

// Limits of one table. The largest real ones have 10,000 rows of 60 columns.
const (
	MaxRows    = 200_000
	MaxColumns = 1_000
	MaxCells   = 640_000 // about 60 MB in memory
)
